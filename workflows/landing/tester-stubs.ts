import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { TESTER_TRY_MS, type TesterActivities } from '../../domain/testing/tester-activities.ts';
import { testTaskQueue, type TesterPlace } from '../../domain/testing/test-run.ts';
import { HEARTBEAT_MS, TRANSIENT_FAULTS } from '../activity-options.ts';

// About a quarter of an hour of a database or a data store that is away. What has failed for the image itself, or has
// begun the tests, the tester tries less often.
const MAX_TRIES = 20;

/** The time for a tester to take some work, and what the landing has left for its tests, in milliseconds. */
type TesterLimits = { testerMs: number; leftMs: number };

/** Has testers do what it asks for within the limits that it is given, which may be more than once. */
export type AskTesters = <T>(ask: (limits: TesterLimits) => Promise<T>) => Promise<T>;

/** Calls of the testers of a place, each by `askTesters`. */
export function testerStubs(place: TesterPlace, askTesters: AskTesters) {
  const within = (summary: string, withinMs: number, { testerMs, leftMs }: TesterLimits) =>
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
      askTesters((limits) =>
        within('the base image', TESTER_TRY_MS.baseImage, limits).makeBaseImage(input),
      ),

    makeLandingImage: (input: Parameters<TesterActivities['makeLandingImage']>[0]) =>
      askTesters((limits) =>
        within('the image with the packages', TESTER_TRY_MS.image, limits).makeLandingImage(input),
      ),

    planTests: (input: Parameters<TesterActivities['planTests']>[0]) =>
      askTesters((limits) =>
        within('which tests to run', TESTER_TRY_MS.image, limits).planTests(input),
      ),

    planBaselines: (input: Parameters<TesterActivities['planBaselines']>[0]) =>
      askTesters((limits) =>
        within("the archive's own versions", TESTER_TRY_MS.image, limits).planBaselines(input),
      ),

    runTest: (runId: number) =>
      askTesters((limits) =>
        within(`test run ${runId}`, TESTER_TRY_MS.run, limits).runTest({ runId }),
      ),
  };
}
