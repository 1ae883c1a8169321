/** A stop of a way; whether it was come to may be unknown, or no longer kept. */
export type Stop = {
  key: string;
  word: string;
  state: 'past' | 'here' | 'failed' | 'cancelled' | 'skipped' | 'unknown' | 'removed' | 'ahead';
  enteredAt: string | undefined;
  leftAt: string | undefined;
  /** Being there is to wait for somebody or something. */
  isWait?: boolean;
  /** Nothing comes after it: who is here has arrived. */
  isEnd?: boolean;
};
