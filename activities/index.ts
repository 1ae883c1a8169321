import type { ActivityDependencies } from './dependencies.ts';
import { cancelBuilds } from './cancel-builds.ts';
import { checkSources } from './check-sources.ts';
import { checkUpload } from './check-upload.ts';
import { collectLogs } from './collect-logs.ts';
import { createLandingActivities } from './landing/index.ts';
import { mergeProposal } from './merge-proposal.ts';
import { createPoolActivities } from './pool/index.ts';
import { heartbeating } from './temporal/heartbeat.ts';
import { reportProgress } from './report-progress.ts';
import { retryBuilds } from './retry-builds.ts';
import { unlessEnded } from './unless-ended.ts';
import { uploadSource } from './upload-source.ts';
import { joinWatch } from './watch/join-watch.ts';
import { watchPpa } from './watch/watch-ppa.ts';
import { watchBuilds } from './watch-builds.ts';
import { shownToOthers, watchedByOthers } from './ppa/watched-by-others.ts';

/** The activities of BuildSourceWorkflow, WatchPpaWorkflow and CheckUploadWorkflow. */
function createBuildActivities(deps: ActivityDependencies) {
  const whileUnderWay = unlessEnded(deps);
  const cancel = cancelBuilds({ ...deps, watchedByOthers: watchedByOthers(deps) });
  const retry = retryBuilds({ ...deps, shownToOthers: shownToOthers(deps) });
  return {
    checkSources: whileUnderWay(checkSources(deps), { isDoneUnasked: true }),
    checkUpload: checkUpload(deps),
    mergeProposal: whileUnderWay(mergeProposal(deps)),
    uploadSource: whileUnderWay(uploadSource(deps)),
    watchBuilds: heartbeating(whileUnderWay(watchBuilds(deps))),
    collectLogs: whileUnderWay(collectLogs(deps), { isDoneUnasked: true }),
    cancelBuilds: heartbeating(whileUnderWay(cancel)),
    retryBuilds: heartbeating(whileUnderWay(retry)),
    reportProgress: reportProgress(deps),
    joinWatch: whileUnderWay(joinWatch(deps)),
    watchPpa: heartbeating(watchPpa(deps)),
  };
}

/** The activities of a worker, which runs them behind the activityInterceptor. */
export function createActivities(deps: ActivityDependencies) {
  return {
    ...createBuildActivities(deps),
    ...createLandingActivities(deps),
    ...createPoolActivities(deps),
  };
}

export type BuildActivities = ReturnType<typeof createBuildActivities>;
export type Activities = ReturnType<typeof createActivities>;
