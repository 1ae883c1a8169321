/** What was written into a field of a form, without the space around it. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The fields of a form that something was written into, for what the API is not sent where it is empty. */
export function givenTexts(form: FormData, names: readonly string[]): Record<string, string> {
  const texts = names.map((name) => [name, formText(form, name)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
