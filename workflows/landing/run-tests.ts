import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { TestsJudged } from '../../activities/landing/judge-tests.ts';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { historyIsLong } from '../continue-as-new.ts';
import { assertNotRejected } from './await-approval.ts';
import { awaitTestersOfTests } from './await-testers.ts';
import { continueLanding } from './continue-landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { testersOf, type Testing } from './make-images.ts';
import { isUntaken } from './tester-failure.ts';
import { testsTimedOut, withinTestsTime } from './within-tests-time.ts';

/** Runs of one landing at a time, so that it does not keep all testers from the others. */
const PARALLEL_RUNS = 8;

type Ran = { runId: number; fault?: string };

/**
 * Makes the runs of a landing, and whatever runs are needed to judge them, until each test has its verdict. It
 * continues as new where that takes long, once this run of the workflow has made some.
 *
 * @param order the names of what is built, as publishPackages takes them
 * @throws LandingEnded where a test fails because of the landing, or cannot be compared with the archive's, time is
 * over, or it is rejected or cancelled; ActivityFailure where no tester takes a run
 */
export async function runTests(
  attempt: LandingAttempt,
  testing: Testing,
  order: readonly string[],
): Promise<void> {
  const { progress } = testing;
  const compared = new Map<number, number>();
  let ran: Ran[] = [];
  for (;;) {
    const pausedMs = await attempt.proceed();
    progress.endsAtMs += pausedMs;
    const judged = await judge(attempt, testing, ran);
    const { open, toCompare } = judged;
    if (open.length === 0 && toCompare.length === 0) {
      assertNoRegression(judged);
      return;
    }
    const howFar = `${judged.tests.finished} of ${judged.tests.planned} sources were tested in time`;
    if (Date.now() >= progress.endsAtMs) throw testsTimedOut(attempt, howFar);
    // The next run would not know of a cancellation, or of a rejection, that came while the tests were judged.
    attempt.assertWanted();
    assertNotRejected(attempt);
    // A run that had done nothing would be followed by others that do nothing.
    if (ran.length > 0 && historyIsLong(attempt.input.buildLimits.historyMaxEvents))
      await continueLanding(attempt, {
        testing: { progress, parts: [...attempt.parts], order: [...order] },
      });
    ran = await withinTestsTime(attempt, progress.endsAtMs, howFar, async () => {
      await compare(attempt, testing, toCompare, compared);
      return runAll(attempt, testing, open);
    });
  }
}

/** Judges the tests, and reports how they stand. */
export async function judge(
  attempt: LandingAttempt,
  { policy, progress }: Testing,
  ran: readonly Ran[] = [],
): Promise<TestsJudged> {
  const judged = await attempt.activities.judgeTests({
    ...attempt.name,
    images: progress.images,
    left: progress.left,
    ran,
    testBedTries: policy.testBedTries,
    baselineMaxAgeDays: policy.baselineMaxAgeDays,
  });
  await attempt.reportTests({
    ...judged.tests,
    ...(progress.renewedRound === progress.round ? { renewed: true } : {}),
  });
  return judged;
}

/** @throws LandingEnded where tests are regressions */
export function assertNoRegression({ tests, regressions }: TestsJudged): void {
  if (tests.verdict !== 'blocked') return;
  const count = tests.verdicts.regression ?? 0;
  throw ended(
    'test_regression',
    `${count} ${count === 1 ? 'test fails' : 'tests fail'} only with these packages: ${regressions.join(', ')}`,
  );
}

/** Has the archive's own versions of changed sources planned. @param compared how often, by the id of the run */
async function compare(
  attempt: LandingAttempt,
  { policy, progress }: Testing,
  wanted: TestsJudged['toCompare'],
  compared: Map<number, number>,
): Promise<void> {
  for (const { architecture, baseImageId } of progress.images) {
    const runIds = wanted.flatMap((run) => (run.architecture === architecture ? [run.runId] : []));
    if (runIds.length === 0) continue;
    if (runIds.some((runId) => (compared.get(runId) ?? 0) > policy.testBedTries))
      throw ended('test_bed_failed', `nothing to compare runs ${runIds.join(', ')} with`);
    await awaitTestersOfTests(
      attempt,
      () => [architecture],
      testersOf(attempt, architecture, progress).planBaselines({ baseImageId, runIds }),
    );
    for (const runId of runIds) compared.set(runId, (compared.get(runId) ?? 0) + 1);
  }
}

/**
 * Makes runs, some at a time. Those that no tester took in time are left: they are open still. To older code, that was
 * so where the testers had others of these, too.
 *
 * @throws ActivityFailure where no tester took any run of an architecture
 */
async function runAll(
  attempt: LandingAttempt,
  { progress }: Testing,
  open: TestsJudged['open'],
): Promise<Ran[]> {
  const waiting = [...open];
  const unended = new Set(open);
  const ran: Ran[] = [];
  const scope = CancellationScope.current();
  let firstError: unknown;
  /** The architectures of runs that a tester has taken, and what those failed with that none took. */
  const taken = new Set<string>();
  const untaken = new Map<string, ActivityFailure>();
  const goesOn = () => firstError === undefined && untaken.size === 0;
  const work = async () => {
    for (let next = waiting.shift(); next && goesOn(); next = waiting.shift()) {
      const { runId, architecture } = next;
      try {
        await testersOf(attempt, architecture, progress).runTest(runId);
        taken.add(architecture);
        ran.push({ runId });
      } catch (error) {
        const failure = error instanceof ActivityFailure && !isCancellation(error) ? error : null;
        if (failure && !isUntaken(failure)) {
          taken.add(architecture);
          ran.push({ runId, fault: (failure.cause ?? failure).message });
        }
        // Older code stopped the runs that testers had, too.
        else if (failure && attempt.knows('runs-wait-for-each-other'))
          untaken.set(architecture, failure);
        else {
          firstError ??= error;
          scope.cancel();
        }
      }
      unended.delete(next);
    }
  };
  // All have ended before the landing goes on, or ends.
  await awaitTestersOfTests(
    attempt,
    () => [...new Set([...unended].map(({ architecture }) => architecture))],
    Promise.all(Array.from({ length: PARALLEL_RUNS }, work)),
  );
  if (firstError !== undefined) throw firstError;
  for (const [architecture, failure] of untaken) if (!taken.has(architecture)) throw failure;
  return ran;
}

function ended(failureClass: 'test_regression' | 'test_bed_failed', message: string): LandingEnded {
  return new LandingEnded(landingFailureOf(failureClass, 'testing', message));
}
