import { Context } from '@temporalio/activity';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import type { WatchLimits, WatchRequest } from '../../domain/builds/ppa-watch.ts';
import type { ProgressReport } from '../../domain/builds/progress.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { reportProgress } from '../report-progress.ts';

/**
 * A watch wakes seldom, so that others have often taken its place in the worker's memory, and each round reads its
 * whole history again.
 */
const MAX_WATCH_EVENTS = 300;

/**
 * Puts a build among those that are watched in its PPA, and wakes the watch, which begins with the first of them. Safe
 * to repeat.
 */
export function joinWatch({
  database,
  watches,
  onRecorded,
}: Pick<ActivityDependencies, 'database' | 'watches' | 'onRecorded'>) {
  return async ({
    buildId,
    attempt,
    request,
    cancelUrl,
    atMs,
    uploadedAtMs,
    known,
    limits,
    report,
  }: {
    buildId: number;
    attempt: number;
    request: WatchRequest;
    cancelUrl: string | null;
    /** When it joins, by the clock of its workflow, as the other times are: that of this worker may be another. */
    atMs: number;
    uploadedAtMs: number;
    /** What its workflow knows of it. */
    known: {
      accepted: boolean;
      records: BuildRecord[];
      dependencyWaitSinceMs: number | null;
    };
    limits: WatchLimits;
    /** What is reported with it. */
    report?: ProgressReport;
  }): Promise<void> => {
    if (report) await reportProgress({ database, ...(onRecorded ? { onRecorded } : {}) })(report);
    const { workflowExecution, taskQueue } = Context.current().info;
    const { accepted, records, dependencyWaitSinceMs: since } = known;
    await database.WatchedBuild.join(
      {
        buildId,
        attempt,
        workflowId: workflowExecution?.workflowId ?? '',
        ppa: ppaReference(request.ppa),
        request,
        cancelUrl,
        accepted,
        records,
      },
      {
        uploadedMs: atMs - uploadedAtMs,
        dependencyWaitedMs: since === null ? null : atMs - since,
      },
    );
    const historyMaxEvents = Math.min(limits.historyMaxEvents, MAX_WATCH_EVENTS);
    await watches.join(request.ppa, { ...limits, historyMaxEvents }, taskQueue);
  };
}
