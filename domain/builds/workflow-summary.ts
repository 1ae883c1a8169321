// Temporal takes 200 bytes.
const MAX_SUMMARY_LENGTH = 120;

/** A text as the one line that Temporal's UI shows of a workflow; one that is too long ends in an ellipsis. */
export function summaryText(text: string): string {
  return text.length <= MAX_SUMMARY_LENGTH ? text : `${text.slice(0, MAX_SUMMARY_LENGTH - 1)}…`;
}
