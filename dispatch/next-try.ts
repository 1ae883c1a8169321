import { backoffMs } from '../timing/backoff.ts';
import type { Postponed } from '../models/builds/build.ts';
import type { DispatchContext } from './dispatch-context.ts';

/** The waits between the tries to tell Temporal of one build or landing. */
export type RetryWaits = { firstMs: number; maxMs: number };

/** How long a build or landing of which Temporal could not be told waits until the next try, and why. */
export function nextTry(
  { logger, retry }: Pick<DispatchContext, 'logger'> & { retry: RetryWaits },
  row: { workflowId: string; failedTries: number },
  error: unknown,
): Postponed {
  const waitMs = backoffMs(row.failedTries + 1, retry);
  logger.warn(
    { err: error, workflowId: row.workflowId, failures: row.failedTries + 1, waitMs },
    'it could not be carried over to Temporal; will retry',
  );
  const message = error instanceof Error ? error.message : String(error);
  return { waitMs, message };
}
