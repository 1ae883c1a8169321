import { ApplicationFailure } from '@temporalio/common';
import { CALLER_GONE } from '../../domain/builds/build-workflow.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { isCancelRequested } from './is-cancel-requested.ts';

/** The caller of a build, as an activity sees it. */
export type Caller = {
  /** Aborts when the activity is to be cancelled, or the caller is gone. */
  signal: AbortSignal;
  /**
   * Asks the cancel URL for the last time; what it says later changes nothing.
   *
   * @throws ApplicationFailure `CALLER_GONE`
   */
  askLast(): Promise<void>;
};

const POLL_MS = 10_000;

/**
 * Does a build's work for as long as its caller wants it: the cancel URL is asked before it, and again and again while
 * it is done. One that does not answer ends nothing.
 *
 * @param signal the activity's own cancellation
 * @throws ApplicationFailure of the type `CALLER_GONE`, which is not retried; else what `work` throws
 */
export async function whileWanted<T>(
  cancelUrl: string | null | undefined,
  deps: Pick<ActivityDependencies, 'sources' | 'cancelUrlTimeoutMs' | 'cancelUrlPollMs' | 'logger'>,
  signal: AbortSignal,
  work: (caller: Caller) => Promise<T>,
): Promise<T> {
  if (!cancelUrl) return work({ signal, askLast: async () => undefined });
  const gone = new AbortController();
  let isOver = false;
  const ask = async () => {
    if ((await isCancelRequested(cancelUrl, deps)) && !isOver)
      gone.abort(ApplicationFailure.nonRetryable('the caller is gone', CALLER_GONE));
  };
  const askLast = async () => {
    await ask();
    gone.signal.throwIfAborted();
    isOver = true;
  };
  await ask();
  gone.signal.throwIfAborted();
  const timer = setInterval(() => void ask(), deps.cancelUrlPollMs ?? POLL_MS);
  try {
    return await work({ signal: AbortSignal.any([signal, gone.signal]), askLast });
  } catch (error) {
    // What the work makes of the signal is only a consequence.
    gone.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
  }
}
