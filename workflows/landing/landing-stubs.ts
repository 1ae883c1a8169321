import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { TargetNoted } from '../../activities/landing/target-versions.ts';
import { listed } from '../../domain/text/listed.ts';
import type { TesterPlace } from '../../domain/testing/test-run.ts';
import {
  ASK_ALL_MS,
  ASK_MS,
  HEARTBEAT_MS,
  rowActivities,
  TRANSIENT_FAULTS,
} from '../activity-options.ts';

const JUDGE_MS = 86_400_000;

const asking = (answerMs: number) => (summary: string, withinMs: number) =>
  proxyActivities<Activities>({
    summary,
    scheduleToCloseTimeout: Math.max(withinMs, ASK_MS),
    startToCloseTimeout: answerMs,
    heartbeatTimeout: HEARTBEAT_MS,
    retry: TRANSIENT_FAULTS,
  });

const ask = asking(ASK_MS);
/** One question, or a few, for each source: the more there are, the longer it takes. */
const askLong = asking(ASK_ALL_MS);

/** Calls of the activities of a landing, each with its time limits and retries and a summary for Temporal's UI. */
export const landingStubs = {
  /** @param waitedMs how long it has waited for those before it, which is part of its time */
  reportLanding: (input: Parameters<Activities['reportLanding']>[0], waitedMs = 0) =>
    rowActivities(input.phase, waitedMs).reportLanding(input),

  claimPackages: (landingId: number) => rowActivities('its turn').claimPackages(landingId),

  leasePpa: (input: Parameters<Activities['leasePpa']>[0]) =>
    rowActivities('a PPA').leasePpa(input),

  openBuild: (input: Parameters<Activities['openBuild']>[0]) =>
    rowActivities(`a build of ${input.source}`).openBuild(input),

  orderBuilds: (withinMs: number, input: Parameters<Activities['orderBuilds']>[0]) =>
    askLong('which package is built first', withinMs).orderBuilds(input),

  readPause: (landingId: number) => rowActivities('whether it is paused').readPause(landingId),

  findTester: (place: TesterPlace) =>
    ask(`whether ${place.architecture} has a tester`, ASK_MS).findTester(place),

  findUntaken: (places: readonly TesterPlace[]) =>
    ask('whether a tester has the work', ASK_MS).findUntaken({ places }),

  /** As older code asked. */
  findUntakenLocally: (places: readonly TesterPlace[]) =>
    rowActivities('whether a tester has the work').findUntaken({ places }),

  judgeTests: (input: Parameters<Activities['judgeTests']>[0]) =>
    ask('what the tests say', JUDGE_MS).judgeTests(input),

  checkBases: (input: Parameters<Activities['checkBases']>[0]) =>
    rowActivities('whether a base image is older than the builds').checkBases(input),

  /** @returns undefined where a worker of older code was asked */
  noteTarget: (
    withinMs: number,
    input: Parameters<Activities['noteTarget']>[0],
  ): Promise<TargetNoted | undefined> => askLong('what the target has', withinMs).noteTarget(input),

  checkStale: (withinMs: number, input: Parameters<Activities['checkStale']>[0]) =>
    askLong('whether the target is what was tested', withinMs).checkStale(input),

  checkArchitectures: (input: Parameters<Activities['checkArchitectures']>[0]) =>
    rowActivities('architectures').checkArchitectures(input),

  checkCopies: (withinMs: number, input: Parameters<Activities['checkCopies']>[0]) =>
    askLong('whether the target takes the copies', withinMs).checkCopies(input),

  copyPackage: (withinMs: number, input: Parameters<Activities['copyPackage']>[0]) =>
    ask(`${input.source} ${input.version} to the target`, withinMs).copyPackage(input),

  /** As older code asked. */
  pollTarget: (withinMs: number, input: Parameters<Activities['pollTarget']>[0]) =>
    ask(`whether ${input.source} is published`, withinMs).pollTarget(input),

  /** What is asked as time ends gets as much time as if each package were asked for by itself. */
  pollTargets: (withinMs: number, input: Parameters<Activities['pollTargets']>[0]) =>
    askLong(
      `whether ${listed(
        input.packages.map(({ source }) => source),
        3,
      )} is published`,
      Math.max(withinMs, input.packages.length * ASK_MS),
    ).pollTargets(input),
};
