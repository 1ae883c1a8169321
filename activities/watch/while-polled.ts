import type { Logger } from 'pino';

/**
 * Polls a PPA, which is marked as polled at once, and again and again until that is over: it may wait long for its
 * turns among the calls of Launchpad. Once that is to stop, the PPA is marked no more, though it hangs.
 *
 * @param round.mark marks the PPA; a later mark that fails is only logged
 * @param round.everyMs wait between two marks
 * @param round.signal aborts where that is to stop
 * @param poll polls the PPA
 * @returns what `poll` does
 * @throws what the first mark or `poll` throws
 */
export async function whilePolled<T>(
  round: { mark: () => Promise<void>; everyMs: number; signal: AbortSignal; logger: Logger },
  poll: () => Promise<T>,
): Promise<T> {
  const { mark, everyMs, signal, logger } = round;
  await mark();
  const timer = setInterval(() => {
    if (signal.aborted) clearInterval(timer);
    else
      mark().catch((error: unknown) =>
        logger.warn({ err: error }, 'a PPA was not marked as polled'),
      );
  }, everyMs);
  try {
    return await poll();
  } finally {
    clearInterval(timer);
  }
}
