import type { Build } from '../models/builds/build.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { forEachRow } from './row-faults.ts';

/**
 * Has builds poll their PPA by themselves that no watch has polled for: it died, was terminated, or cannot get on. They
 * join again after that, which begins a watch anew where there is none.
 *
 * @param unwatchedMs time without a round of the watch
 */
export async function askUnwatched(
  { database, workflows, logger }: DispatchContext,
  unwatchedMs: number,
  signal: AbortSignal,
): Promise<void> {
  const unwatched = await database.WatchedBuild.unwatchedFor(unwatchedMs, BATCH_SIZE);
  if (unwatched.length > 0)
    logger.warn(
      { builds: unwatched.length, ppa: unwatched[0]?.ppa, alarm: 'ppa_unwatched' },
      'no watch polls a PPA; its builds have to do it by themselves',
    );
  const rows = unwatched.map((build) => ({ id: build.buildId, build }));
  await forEachRow('build', rows, signal, async ({ build }) => {
    const outcome = await workflows.signalAsk(build.workflowId);
    if (outcome === 'ended') await build.leaveUnlessRejoined();
    else await build.markAsked();
  });
}

/**
 * Has a build whose workflow is idle poll its PPA by itself where no watch knows it, as after a restore of the
 * database alone: else it sleeps until its deadline. What is being stopped polls anyway.
 *
 * @returns whether it was told to
 */
export async function askUnlessWatched(
  { database, workflows }: DispatchContext,
  build: Build,
): Promise<boolean> {
  if (build.stoppingSince || (await database.WatchedBuild.includes(build))) return false;
  await workflows.signalAsk(build.workflowId);
  return true;
}
