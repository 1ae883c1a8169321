/** Whether a text is an http or https URL that others can stand below: no user, no query, no fragment. */
export function isWebRoot(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' && !/[?#]/.test(href);
}

/** Such a URL as `URL` writes it, without a slash at its end: every URL below it, so written, begins with it. */
export function webRoot(text: string): string {
  return new URL(text).href.replace(/\/$/, '');
}
