import { failureOf, type Failure } from '../domain/builds/failure.ts';
import { FINAL_REPORT_KEY } from '../domain/builds/progress.ts';
import type { Build } from '../models/builds/build.ts';
import { cancellerOf } from './canceller.ts';
import type { DispatchContext } from './dispatch-context.ts';

/**
 * Ends a build in place of its workflow, unless it has ended. One that was to be cancelled says so, and by whom.
 *
 * @param isWanted whether it is to be ended still, asked under the lock of its row
 */
export async function endBuild(
  { database, logger }: DispatchContext,
  build: Build,
  because: Failure,
  isWanted?: (build: Build) => boolean,
): Promise<void> {
  const failure = build.cancelRequestedAt
    ? failureOf('cancelled', `cancelled by ${cancellerOf(build)}; ${because.message}`)
    : because;
  const recorded = await database.ProgressEvent.record(
    {
      buildId: build.id,
      attempt: build.attempt,
      key: FINAL_REPORT_KEY,
      message: 'FAILURE',
      failure,
    },
    isWanted,
  );
  if (!recorded) return;
  // What is cancelled before it begins is no fault of anybody's.
  const level = because.class === 'cancelled' ? 'info' : 'error';
  logger[level]({ buildId: build.id, failure }, 'build ended by the dispatcher');
}
