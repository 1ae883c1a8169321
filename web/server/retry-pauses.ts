import type { RequestError } from './request.ts';

/** So long at most a load waits that was late again and again: the server may be working on what was given up. */
const MAX_LATE_MS = 80_000;

/** The pauses before a load that failed is tried again. */
export type RetryPauses = {
  /** The next pause, in ms. @param failure what the load failed by; none where a stream ended */
  next: (failure?: RequestError) => number;
  /** Has the next one be the first again, after a success. */
  reset: () => void;
};

/**
 * Each pause is twice as long as the one before, up to a limit, which is 80 s after a late answer.
 *
 * @param firstMs the first pause
 * @param maxMs the limit after any other fault
 */
export function retryPauses(firstMs: number, maxMs = firstMs): RetryPauses {
  let nextMs = firstMs;
  return {
    next: (failure) => {
      const limitMs = failure?.isLate ? MAX_LATE_MS : maxMs;
      const pauseMs = Math.min(nextMs, limitMs);
      nextMs = Math.min(2 * pauseMs, limitMs);
      return pauseMs;
    },
    reset: () => {
      nextMs = firstMs;
    },
  };
}
