/** A text of at most `maxLength` characters; one that is longer ends in an ellipsis. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
