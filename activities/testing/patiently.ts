import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../timing/backoff.ts';

/** More than seven minutes, and the time that the tries take. */
const MAX_TRIES = 20;
const PAUSES = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Does what a database or a data store that is away refuses, again after pauses, for some minutes: what it is done for
 * took hours, and would be made anew.
 *
 * @param options.signal ends the pauses; once it has come, the work is done once
 * @param options.pause waits so many milliseconds
 * @throws what the last try throws; AbortError where the signal comes in a pause
 */
export async function patiently<T>(
  {
    logger,
    signal,
    pause = (ms) => sleep(ms, undefined, { signal }),
  }: { logger: Logger; signal: AbortSignal; pause?: (ms: number) => Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || failures >= MAX_TRIES) throw error;
      logger.warn({ err: error, failures }, 'what a run of tests has left could not be stored yet');
      await pause(backoffMs(failures, PAUSES));
    }
}
