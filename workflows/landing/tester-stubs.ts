import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { TesterActivities } from '../../domain/testing/tester-activities.ts';
import { testTaskQueue, type TesterPlace } from '../../domain/testing/test-run.ts';
import { HEARTBEAT_MS, TRANSIENT_FAULTS } from '../activity-options.ts';

const IMAGE_MS = 2 * 3_600_000;
// autopkgtest ends a test by itself long before.
const RUN_MS = 12 * 3_600_000;
// About a quarter of an hour of a database or a data store that is away, or of a disk that is short. What has failed
// for the image itself, or has begun the tests, the tester tries less often.
const MAX_TRIES = 20;

/**
 * Calls of the testers of a place.
 *
 * @param limits.testerMs time for one of them to take the work
 * @param limits.leftMs time that the landing has left for its tests
 */
export function testerStubs(
  place: TesterPlace,
  { testerMs, leftMs }: { testerMs: number; leftMs: number },
) {
  const ask = (summary: string, withinMs: number) =>
    proxyActivities<TesterActivities>({
      summary: `${summary} (${place.architecture})`,
      taskQueue: testTaskQueue(place),
      scheduleToStartTimeout: testerMs,
      scheduleToCloseTimeout: Math.max(leftMs, 1),
      startToCloseTimeout: withinMs,
      heartbeatTimeout: HEARTBEAT_MS,
      // What runs is stopped before the landing says that it has ended.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      retry: { ...TRANSIENT_FAULTS, maximumAttempts: MAX_TRIES },
    });
  return {
    makeBaseImage: (input: Parameters<TesterActivities['makeBaseImage']>[0]) =>
      ask('the base image', IMAGE_MS).makeBaseImage(input),

    makeLandingImage: (input: Parameters<TesterActivities['makeLandingImage']>[0]) =>
      ask('the image with the packages', IMAGE_MS).makeLandingImage(input),

    planTests: (input: Parameters<TesterActivities['planTests']>[0]) =>
      ask('which tests to run', IMAGE_MS).planTests(input),

    planBaselines: (input: Parameters<TesterActivities['planBaselines']>[0]) =>
      ask("the archive's own versions", IMAGE_MS).planBaselines(input),

    runTest: (runId: number) => ask(`test run ${runId}`, RUN_MS).runTest({ runId }),
  };
}
