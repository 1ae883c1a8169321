import { shortened } from '../text/shortened.ts';

// Temporal takes 200 bytes.
const MAX_SUMMARY_LENGTH = 120;

/** A text as the one line that Temporal's UI shows of a workflow; one that is too long ends in an ellipsis. */
export function summaryText(text: string): string {
  return shortened(text, MAX_SUMMARY_LENGTH);
}
