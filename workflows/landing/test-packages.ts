import { ActivityFailure } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import type { TestingProgress, TestingRound } from '../../domain/landings/landing.ts';
import { movedText } from '../../domain/landings/target-moved.ts';
import { assertNotPassed } from './assert-not-passed.ts';
import { awaitApproval } from './await-approval.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { makeCurrentImages } from './make-current-images.ts';
import type { Testing } from './make-images.ts';
import { beginPublishing } from './publish-packages.ts';
import { assertNoRegression, judge, runTests } from './run-tests.ts';
import { failureOfTester } from './tester-failure.ts';

const STALE_CHECK_MS = 3_600_000;

type Resumed = LandingAttempt['input']['resumed'];

/**
 * Tests what was built, has it approved, and enters the phase that publishes. What was tested is what is published:
 * where the target has changed meanwhile, images are made and tests are run once more, as often as the policy says. So
 * are they, once in an attempt, where something failed on a base image that is older than what was built: that may
 * rightly need what is newer.
 *
 * @param order the names of what is built, as publishPackages takes them
 * @throws LandingEnded where it must not be published
 */
export async function testPackages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  order: readonly string[],
): Promise<void> {
  let { resumed } = attempt.input;
  let round = roundOf(resumed);
  for (;;) {
    const { number, renewedRound } = round;
    let moved: string[];
    try {
      moved = await testOnce(attempt, { policy, order, round, resumed });
    } catch (error) {
      if (renewedRound !== undefined || !(await isOfOldBase(attempt, error))) throw error;
      round = { number, moved: round.moved, renewedRound: number };
      continue;
    } finally {
      resumed = undefined;
    }
    if (moved.length === 0) return;
    if (number >= policy.staleTries)
      throw new LandingEnded(landingFailureOf('target_moved', attempt.phase, movedText(moved)));
    round = { number: number + 1, moved, ...(renewedRound === undefined ? {} : { renewedRound }) };
  }
}

/** The first round of this run: the one in which the run before was, of a landing that continued as new. */
function roundOf(resumed: Resumed): TestingRound {
  if (resumed?.imaging) return resumed.imaging.round;
  const { round: number = 0, renewedRound } = progressOf(resumed) ?? {};
  return { number, moved: [], ...(renewedRound === undefined ? {} : { renewedRound }) };
}

function progressOf(resumed: Resumed): TestingProgress | undefined {
  const progress = (resumed?.approving ?? resumed?.testing)?.progress;
  return progress?.isRenewed ? { renewedRound: progress.round, ...progress } : progress;
}

/**
 * One round: tests what was built, has it approved, and enters the phase that publishes.
 *
 * @param of.resumed where the run before was in this round, of one that continued as new
 * @returns what the target has got meanwhile: then it is not in that phase
 * @throws LandingEnded where it must not be published; ActivityFailure where something cannot be done
 */
async function testOnce(
  attempt: LandingAttempt,
  {
    policy,
    order,
    round,
    resumed,
  }: { policy: LandingPolicy; order: readonly string[]; round: TestingRound; resumed: Resumed },
): Promise<string[]> {
  const { approving, imaging } = resumed ?? {};
  const waits = { order, pauseMs: imaging?.pauseMs };
  const progress = progressOf(resumed) ?? (await makeCurrentImages(attempt, policy, round, waits));
  attempt.baseImageIds = progress.images.map(({ baseImageId }) => baseImageId);
  const testing: Testing = { policy, progress };
  if (!approving) await runTests(attempt, testing, order);
  const judgeAgain = async () => assertNoRegression(await judge(attempt, testing));
  await awaitApproval(attempt, { order, progress, judgeAgain, endsAtMs: approving?.endsAtMs });
  let moved: string[] = [];
  const isUnmoved = async () => {
    moved = await movedSources(attempt, progress);
    return moved.length === 0;
  };
  // Older code asked once, and before a pause.
  if (attempt.knows('target-checked-last')) await beginPublishing(attempt, isUnmoved);
  else if (await isUnmoved()) await beginPublishing(attempt);
  return moved;
}

/** Whether the packages are blamed for what may be the fault of a base image that is older than what was built. */
async function isOfOldBase(attempt: LandingAttempt, error: unknown): Promise<boolean> {
  if (!attempt.renewsOldBases || !isBlame(error)) return false;
  const buildIds = attempt.parts.flatMap(({ build_id: build }) => build ?? []);
  const { baseImageIds, activities } = attempt;
  const { isOlder } = await activities.checkBases({ baseImageIds, buildIds });
  return isOlder;
}

/** Whether an error says that the packages themselves are at fault. */
function isBlame(error: unknown): boolean {
  if (error instanceof LandingEnded) return error.failure.class === 'test_regression';
  return error instanceof ActivityFailure && failureOfTester(error) === 'uninstallable';
}

/**
 * What the target has got since the tests were planned, such as `hello 2.10-4`.
 *
 * @throws LandingEnded where it is newer than what the landing lands, so that tests are of no use any more
 */
async function movedSources(
  attempt: LandingAttempt,
  { images }: TestingProgress,
): Promise<string[]> {
  const { target } = attempt.input;
  const { moved, passed } = await attempt.whileWanted(() =>
    attempt.activities.checkStale(STALE_CHECK_MS, { ...attempt.name, target, images }),
  );
  await assertNotPassed(attempt, passed);
  return moved.map(({ source, is }) => `${source} ${is}`);
}
