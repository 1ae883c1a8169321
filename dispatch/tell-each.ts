import type { DispatchContext } from './dispatch-context.ts';
import { nextTry, type RetryWaits } from './next-try.ts';
import { isTemporalUnavailable } from './temporal-errors.ts';

/** A build or landing of which Temporal is told. */
type ToldRow = {
  readonly workflowId: string;
  readonly failedTries: number;
  postpone(waitMs: number): Promise<void>;
};

/**
 * Tells Temporal of each row. One that cannot be told is tried again by itself, after a wait of its own.
 *
 * @throws what says that Temporal or the database is unavailable; the signal's reason
 */
export async function tellEach<Row extends ToldRow>(
  context: Pick<DispatchContext, 'logger'> & { retry: RetryWaits },
  rows: readonly Row[],
  signal: AbortSignal,
  tell: (row: Row) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    signal.throwIfAborted();
    try {
      await tell(row);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      await row.postpone(nextTry(context, row, error).waitMs);
    }
  }
}
