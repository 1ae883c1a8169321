import { backoffMs } from '../timing/backoff.ts';
import type { Build, Postponed } from '../models/build.ts';
import type { DispatchContext } from './dispatch-context.ts';

/** The waits between the tries to tell Temporal of one build. */
export type RetryWaits = { firstMs: number; maxMs: number };

/** When Temporal is told again of a build of which it could not be told, and why that is so late. */
export function nextTry(
  { logger, retry }: Pick<DispatchContext, 'logger'> & { retry: RetryWaits },
  build: Build,
  error: unknown,
): Postponed {
  const waitMs = backoffMs(build.failedTries + 1, retry);
  logger.warn(
    { err: error, buildId: build.id, failures: build.failedTries + 1, waitMs },
    'a build could not be carried over to Temporal; will retry',
  );
  const message = error instanceof Error ? error.message : String(error);
  return { until: new Date(Date.now() + waitMs), message };
}
