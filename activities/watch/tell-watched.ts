import { isDeepStrictEqual } from 'node:util';
import { phaseInPpa } from '../../domain/builds/build-phase.ts';
import { buildRecordState, judgeBuildRecords } from '../../domain/builds/build-state.ts';
import { toldPhase, type PpaNews } from '../../domain/builds/ppa-watch.ts';
import { architectureBuilds } from '../../domain/builds/progress.ts';
import type { WatchedBuild } from '../../models/builds/watched-build.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { alarmUnknownStates } from './alarm-unknown-states.ts';
import { isDependencyWaitOver, type ReadWatched } from './read-watched.ts';

type Dependencies = Pick<ActivityDependencies, 'database' | 'watches' | 'onRecorded' | 'logger'>;

/**
 * Reports INPROGRESS where the PPA has accepted a build or a record of it has changed, and tells its workflow where
 * that has something to do or to show. The event and what is known of the build are kept together, so that a change is
 * reported once; the workflow is told after that, and again in the next round where it could not be.
 *
 * @param nowMs by the database's clock
 */
export async function tellWatched(
  deps: Dependencies,
  build: WatchedBuild,
  read: ReadWatched,
  nowMs: number,
): Promise<void> {
  if (!read.accepted) {
    await build.advance(read);
    return;
  }
  if (!(await report(deps, build, read))) return;
  const { request } = build;
  const dependencyWaitIsOver = isDependencyWaitOver(
    read.dependencyWaitSince,
    request.dependencyWaitMs,
    nowMs,
  );
  const isDecided = hasToAct(build, read, dependencyWaitIsOver);
  const phase = toldPhase(
    read.records.map(({ buildState }) => buildRecordState(buildState)),
    request.hasLater,
  );
  if (!isDecided && phase === build.toldPhase) return;
  const sinceMs = read.dependencyWaitSince?.getTime() ?? null;
  const outcome = await deps.watches.tell(build.workflowId, {
    packages: request.packages.length,
    records: read.records,
    phase,
    published: read.published,
    dependencyWaitSinceMs: sinceMs,
    ...(sinceMs === null ? {} : { dependencyWaitedMs: nowMs - sinceMs }),
    dependencyWaitIsOver,
    isDecided,
  });
  if (isDecided || outcome === 'ended') await build.leaveUnlessRejoined();
  else await build.markTold({ toldPhase: phase });
}

/** Tells the workflow of a build that it has to poll the PPA by itself. */
export async function askToPoll(
  { watches }: Pick<Dependencies, 'watches'>,
  build: WatchedBuild,
): Promise<void> {
  const news: PpaNews = { ask: true };
  const outcome = await watches.tell(build.workflowId, news);
  if (outcome === 'ended') await build.leaveUnlessRejoined();
  else await build.markAsked();
}

/** @returns false where another round has been there, or the build has ended or left */
async function report(
  { database, onRecorded, logger }: Dependencies,
  build: WatchedBuild,
  read: ReadWatched,
): Promise<boolean> {
  const { buildId, attempt, request, joinedAt, version } = build;
  alarmUnknownStates({ logger }, buildId, read.records);
  const builds = architectureBuilds(read.records);
  const isNews = !build.accepted || !isDeepStrictEqual(builds, architectureBuilds(build.records));
  if (!isNews) return isDeepStrictEqual(read.records, build.records) ? true : build.advance(read);
  const event = await database.ProgressEvent.record(
    {
      buildId,
      attempt,
      ...(request.attemptKey ? { attemptKey: request.attemptKey } : {}),
      key: `watch-${joinedAt.getTime()}-${version + 1}`,
      message: 'INPROGRESS',
      phase: phaseInPpa(
        builds.map(({ state }) => state),
        request.hasLater,
      ),
      builds,
    },
    (_, transaction) => build.advance(read, transaction),
  );
  onRecorded?.();
  return event !== null;
}

/** Whether the workflow has something to do. */
function hasToAct(
  { request: { hasLater, knowsFailure } }: WatchedBuild,
  { records, published }: ReadWatched,
  dependencyWaitIsOver: boolean,
): boolean {
  switch (judgeBuildRecords(records, dependencyWaitIsOver).state) {
    case 'active':
      return false;
    case 'completed':
      return published;
    case 'failed':
      return published || !hasLater || !knowsFailure;
  }
}
