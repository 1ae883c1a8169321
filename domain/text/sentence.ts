/** A text that others may have written, with a full stop at its end, unless it ends with a mark of its own. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
