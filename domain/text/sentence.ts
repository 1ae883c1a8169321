/** A text with a full stop at its end, unless it ends with a mark of its own. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
