import { isTemporalUnavailable } from './temporal-errors.ts';

/** Rows that a step tries in vain before the rest waits, too. */
const MAX_FAILED = 8;

/** What kept some rows from being carried over, while Temporal and the database answer. */
export class RowFaults extends AggregateError {
  constructor(errors: readonly unknown[]) {
    super(errors, `${errors.length} failed: ${String(errors[0])}`);
  }
}

/**
 * Acts on each row. One that fails does not keep the others from it, until `MAX_FAILED` have.
 *
 * @throws RowFaults; at once what says that Temporal is unavailable, and the signal's reason
 */
export async function forEachRow<Row extends { id: number }>(
  kind: 'build' | 'landing' | 'PPA',
  rows: readonly Row[],
  signal: AbortSignal,
  act: (row: Row) => Promise<void>,
): Promise<void> {
  const faults: Error[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    try {
      await act(row);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      faults.push(new Error(`${kind} ${row.id}: ${message}`, { cause: error }));
      if (faults.length === MAX_FAILED) break;
    }
  }
  if (faults.length > 0) throw new RowFaults(faults);
}

/**
 * Does each part, also where rows of an earlier one have failed.
 *
 * @returns the faults of the rows of all parts
 * @throws at once any other error
 */
export async function forEachPart(
  parts: readonly (() => Promise<void>)[],
): Promise<RowFaults | undefined> {
  const faults: unknown[] = [];
  for (const part of parts)
    try {
      await part();
    } catch (error) {
      if (!(error instanceof RowFaults)) throw error;
      faults.push(...(error.errors as unknown[]));
    }
  return faults.length > 0 ? new RowFaults(faults) : undefined;
}
