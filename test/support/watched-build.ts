import type { WatchRequest } from '../../domain/builds/ppa-watch.ts';
import type { Build } from '../../models/builds/build.ts';
import type { Database } from '../../models/database.ts';

const MINUTE_MS = 60_000;

/** Has the watch of a PPA know a build that has uploaded. @param request what differs from the usual */
export function joinWatch(
  { WatchedBuild }: Pick<Database, 'WatchedBuild'>,
  { id: buildId, attempt, workflowId }: Pick<Build, 'id' | 'attempt' | 'workflowId'>,
  { name = 'demo', uploadedMs = 0, ...request }: Joining = {},
): Promise<void> {
  return WatchedBuild.join(
    {
      buildId,
      attempt,
      workflowId,
      ppa: `~airline/debian/${name}`,
      cancelUrl: null,
      accepted: true,
      records: [],
      request: {
        ppa: { owner: 'airline', distribution: 'debian', name },
        series: 'bookworm',
        packages: [],
        awaitPublication: false,
        hasLater: false,
        knowsFailure: false,
        acceptanceMs: MINUTE_MS,
        dependencyWaitMs: MINUTE_MS,
        ...request,
      },
    },
    { uploadedMs, dependencyWaitedMs: null },
  );
}

type Joining = Partial<Pick<WatchRequest, 'packages' | 'polls'>> & {
  /** The name of the PPA. */
  name?: string;
  /** How long ago it was uploaded. */
  uploadedMs?: number;
};
