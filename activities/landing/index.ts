import type { ActivityDependencies } from '../dependencies.ts';
import { heartbeating } from '../temporal/heartbeat.ts';
import { claimPackages } from './claim-packages.ts';
import { checkArchitectures } from './check-architectures.ts';
import { checkBases } from './check-bases.ts';
import { checkCopies } from './check-copies.ts';
import { copyPackage } from './copy-package.ts';
import { findTester } from './find-tester.ts';
import { findUntaken } from './find-untaken.ts';
import { judgeTests } from './judge-tests.ts';
import { knowingUploads } from './knowing-uploads.ts';
import { leasePpa } from './lease-ppa.ts';
import { openBuild } from './open-build.ts';
import { orderBuilds } from './order-builds.ts';
import { pollTarget } from './poll-target.ts';
import { pollTargets } from './poll-targets.ts';
import { readPause } from './read-pause.ts';
import { reportLanding } from './report-landing.ts';
import { unlessEnded } from '../unless-ended.ts';
import type { Copy } from './target-place.ts';
import { checkStale, noteTarget } from './target-versions.ts';

/** The activities of LandTicketWorkflow. */
export function createLandingActivities(deps: ActivityDependencies) {
  const whileUnderWay = unlessEnded(deps);
  const ofTarget = <I extends Copy, R>(activity: (input: I) => Promise<R>) =>
    heartbeating(whileUnderWay(knowingUploads(deps, activity)));
  return {
    reportLanding: reportLanding(deps),
    claimPackages: claimPackages(deps),
    leasePpa: leasePpa(deps),
    orderBuilds: heartbeating(orderBuilds(deps)),
    checkArchitectures: checkArchitectures(deps),
    openBuild: openBuild(deps),
    readPause: readPause(deps),
    findTester: heartbeating(findTester(deps)),
    findUntaken: findUntaken(deps),
    noteTarget: heartbeating(whileUnderWay(noteTarget(deps))),
    judgeTests: heartbeating(whileUnderWay(judgeTests(deps))),
    checkBases: checkBases(deps),
    checkStale: heartbeating(whileUnderWay(checkStale(deps))),
    checkCopies: ofTarget(checkCopies(deps)),
    copyPackage: ofTarget(copyPackage(deps)),
    pollTarget: ofTarget(pollTarget(deps)),
    pollTargets: ofTarget(pollTargets(deps)),
  };
}

export type LandingActivities = ReturnType<typeof createLandingActivities>;
