/** What a program said last, which is what it ended for. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
