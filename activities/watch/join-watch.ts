import { Context } from '@temporalio/activity';
import type { BuildRecord } from '../../domain/build-state.ts';
import { ppaReference } from '../../domain/ppa.ts';
import type { WatchLimits, WatchRequest } from '../../domain/ppa-watch.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Puts a build among those that are watched in its PPA, and wakes the watch, which begins with the first of them. Safe to
 * repeat.
 */
export function joinWatch({
  database,
  watches,
}: Pick<ActivityDependencies, 'database' | 'watches'>) {
  return async ({
    buildId,
    attempt,
    request,
    cancelUrl,
    uploadedAtMs,
    known,
    limits,
  }: {
    buildId: number;
    attempt: number;
    request: WatchRequest;
    cancelUrl: string | null;
    uploadedAtMs: number;
    /** What its workflow knows of it. */
    known: {
      accepted: boolean;
      records: BuildRecord[];
      dependencyWaitSinceMs: number | null;
    };
    limits: WatchLimits;
  }): Promise<void> => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const { accepted, records, dependencyWaitSinceMs: since } = known;
    await database.WatchedBuild.join({
      buildId,
      attempt,
      workflowId: workflowExecution?.workflowId ?? '',
      ppa: ppaReference(request.ppa),
      request,
      cancelUrl,
      uploadedAt: new Date(uploadedAtMs),
      accepted,
      records,
      dependencyWaitSince: since === null ? null : new Date(since),
      toldPhase: null,
    });
    await watches.join(request.ppa, limits, taskQueue);
  };
}
