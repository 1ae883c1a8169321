import { backoffMs } from './backoff.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

/** Work that is done again and again. */
export type PollingLoop = {
  /** Polls now instead of after the interval. After a failure the loop waits as long as it would have. */
  wake(): void;
  /** Ends the loop. Resolves when the poll under way is done. */
  stop(): Promise<void>;
};

/**
 * Polls at once, and again after each interval or when it is woken, never twice at a time.
 *
 * @param intervalMs wait after a poll that succeeded
 * @param firstBackoffMs wait after a poll that failed; each further failure in a row doubles it. Default: the interval
 * @param maxBackoffMs longest wait after failures; no shorter than the interval, which is the default
 * @param poll fails by throwing. Its signal aborts when the loop is to stop; what it throws then is dropped
 * @param onError is called after each failure, with the wait that follows
 */
export function startPollingLoop({
  intervalMs,
  firstBackoffMs = intervalMs,
  maxBackoffMs = intervalMs,
  poll,
  onError,
}: {
  intervalMs: number;
  firstBackoffMs?: number;
  maxBackoffMs?: number;
  poll: (signal: AbortSignal) => Promise<void>;
  onError: (error: unknown, next: { failures: number; waitMs: number }) => void;
}): PollingLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const interval = createWakeableSleep(signal);
  const backoff = createWakeableSleep(signal);
  const maxMs = Math.max(maxBackoffMs, intervalMs);

  const ended = run();
  return {
    wake: interval.wake,
    async stop() {
      stopping.abort();
      await ended;
    },
  };

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted)
      try {
        await poll(signal);
        failures = 0;
        await interval.sleep(intervalMs);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const waitMs = backoffMs(failures, { firstMs: firstBackoffMs, maxMs });
        onError(error, { failures, waitMs });
        await backoff.sleep(waitMs);
      }
  }
}
