import type { Build } from '../models/build.ts';
import { isTemporalUnavailable } from './temporal-errors.ts';

/** Rows that a step tries in vain before the rest waits, too: Temporal may be unavailable. */
export const MAX_FAILED = 8;

/** What kept one build or landing from being carried over. */
class RowFault extends Error {
  constructor(kind: string, { id }: { id: number }, cause: unknown) {
    super(`${kind} ${id}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** What kept one build from being carried over. */
export class BuildFault extends RowFault {
  readonly build: Build;

  constructor(build: Build, cause: unknown) {
    super('build', build, cause);
    this.build = build;
  }
}

/** @throws AggregateError of the faults, unless there are none */
export function throwFaults(faults: readonly RowFault[]): void {
  const [first] = faults;
  if (first) throw new AggregateError(faults, `${faults.length} failed: ${first.message}`);
}

/** As forEachRow, of builds. */
export function forEachBuild(
  builds: readonly Build[],
  signal: AbortSignal,
  act: (build: Build) => Promise<void>,
): Promise<void> {
  return forEachRow('build', builds, signal, act);
}

/**
 * Acts on each row. One that fails does not keep the others from it, until `MAX_FAILED` have.
 *
 * @throws AggregateError of the faults; at once what says that Temporal is unavailable, and the signal's reason
 */
export async function forEachRow<Row extends { id: number }>(
  kind: 'build' | 'landing' | 'PPA',
  rows: readonly Row[],
  signal: AbortSignal,
  act: (row: Row) => Promise<void>,
): Promise<void> {
  const failed: RowFault[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    try {
      await act(row);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      if (failed.push(new RowFault(kind, row, error)) === MAX_FAILED) break;
    }
  }
  throwFaults(failed);
}
