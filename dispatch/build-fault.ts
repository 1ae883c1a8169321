import type { Build } from '../models/build.ts';
import { isTemporalUnavailable } from './temporal-errors.ts';

/** Builds that a step tries in vain before the rest waits, too: Temporal may be unavailable. */
export const MAX_FAILED = 8;

/** What kept one build from being carried over. */
export class BuildFault extends Error {
  readonly build: Build;

  constructor(build: Build, cause: unknown) {
    super(`build ${build.id}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.build = build;
  }
}

/** @throws AggregateError of the faults, unless there are none */
export function throwFaults(faults: readonly BuildFault[]): void {
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} builds failed`);
}

/**
 * Acts on each build. One that fails does not keep the others from it, until `MAX_FAILED` have.
 *
 * @throws AggregateError of the faults; at once what says that Temporal is unavailable, and the signal's reason
 */
export async function forEachBuild(
  builds: readonly Build[],
  signal: AbortSignal,
  act: (build: Build) => Promise<void>,
): Promise<void> {
  const failed: BuildFault[] = [];
  for (const build of builds) {
    signal.throwIfAborted();
    try {
      await act(build);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      if (failed.push(new BuildFault(build, error)) === MAX_FAILED) break;
    }
  }
  throwFaults(failed);
}
