import { failureOf } from '../domain/builds/failure.ts';
import { durationText } from '../domain/text/quantity-text.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import { forEachRow } from './row-faults.ts';

/**
 * Ends builds whose workflow was not started in time, because Temporal was unavailable or no worker took any build, and
 * those that were cancelled before it was. A workflow that starts after all finds its build ended, and ends.
 *
 * @param startMs time for a build to get its workflow
 */
export async function endUnstartedBuilds(
  context: DispatchContext,
  startMs: number,
  signal: AbortSignal,
): Promise<void> {
  const tooLate = failureOf(
    'timed_out',
    `its workflow was not started within ${durationText(startMs)} (AIRLINE_START_MS)`,
  );
  const cancelled = failureOf('cancelled', 'its workflow was not started');
  const unstarted = await context.database.Build.unstartedFor(startMs, BATCH_SIZE);
  await forEachRow('build', unstarted, signal, (build) =>
    endBuild(
      context,
      build,
      build.cancelRequestedAt ? cancelled : tooLate,
      // Since it was read, another dispatcher may have started it, or a workflow of it may have reported.
      ({ dispatchedAt, phase }) => dispatchedAt === null && phase === 'queued',
    ),
  );
}
