import { CancellationScope } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { TestedImage, TestingProgress, TestingRound } from '../../domain/landings/landing.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import { isPpa, parseArchive } from '../../domain/packages/archive.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import { assertNotPassed } from './assert-not-passed.ts';
import { assertNotRejected } from './await-approval.ts';
import { awaitTesters, awaitTestersOfTests } from './await-testers.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { testerStubs } from './tester-stubs.ts';
import { untilTaken } from './until-taken.ts';
import { withinTestsTime } from './within-tests-time.ts';

// Where the target has changed, or the image may be older than what was built, the archive is looked at anew.
const MAX_BASE_AGE_MS = 86_400_000;
const DEFAULT_TESTS_MS = 2 * 86_400_000;

/** Images, and the tests that are planned for them. */
type Planned = {
  progress: TestingProgress;
  /** What is tested in an older version than the target has published, as the target has it: `hello 2.10-4`. */
  behind: string[];
};

/** What a round of images and tests is made by. */
export type Testing = { policy: LandingPolicy; progress: TestingProgress };

/** The calls of the testers of an architecture of its PPA, within the time that the tests have left. */
export function testersOf(
  attempt: LandingAttempt,
  architecture: string,
  { endsAtMs }: Pick<TestingProgress, 'endsAtMs'>,
) {
  const place = { distribution: attempt.ppa.distribution, architecture };
  return testerStubs(place, untilTaken(attempt, place, endsAtMs));
}

/**
 * Makes the images to test in, one for each architecture, and plans the tests. The phase that runs them begins where
 * nothing is tested in an older version than the target has published.
 *
 * @throws LandingEnded where it is rejected or cancelled, the time for its tests is over, or its target would refuse a
 * copy as it has a newer version; ActivityFailure where an image cannot be made
 */
export async function makeImages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  round: TestingRound,
): Promise<Planned> {
  const { input } = attempt;
  let endsAtMs = round.endsAtMs ?? Date.now() + (input.limits.testsMs ?? DEFAULT_TESTS_MS);
  endsAtMs += await attempt.proceed();
  assertNotRejected(attempt);
  attempt.forgetDecision();
  attempt.baseImageIds = [];
  const targetMoved = round.moved.length > 0 ? { targetMoved: [...round.moved] } : {};
  await attempt.begin('imaging', {
    ...targetMoved,
    ...attempt.forgetVerdict(round.renewedRound === round.number),
  });
  const { testArchitectures } = policy;
  const images = await withinTestsTime(
    attempt,
    endsAtMs,
    'the images to test in were not made in time',
    () =>
      awaitTesters(
        attempt,
        () => testArchitectures,
        allOrStopped(
          attempt,
          testArchitectures.map((each) => makeImage(attempt, each, endsAtMs, round)),
        ),
      ),
  );
  endsAtMs += await attempt.proceed();
  const [first] = images;
  if (!first)
    throw new LandingEnded(
      landingFailureOf(
        'image_failed',
        'imaging',
        `the policy ${policy.name} names no architecture`,
      ),
    );
  const beginTests = () => attempt.begin('testing', { baseImageId: first.baseImageId });
  // Older code said so before it knew whether that would be in vain.
  if (!attempt.awaitsIndexInImaging) await beginTests();
  const packages = attempt.packageVersions();
  const { target } = input;
  let left = 0;
  let room = policy.maxTestRuns;
  for (const image of images) {
    const planned = await withinTestsTime(
      attempt,
      endsAtMs,
      'the tests to run were not chosen in time',
      () =>
        awaitTestersOfTests(
          attempt,
          () => [image.architecture],
          testersOf(attempt, image.architecture, { endsAtMs }).planTests({
            ...attempt.name,
            ...image,
            packages,
            tests: policy.tests,
            maxTestRuns: room,
          }),
        ),
    );
    left += planned.left;
    room = Math.max(room - planned.runIds.length, 0);
  }
  const noted = await attempt.whileWanted(() =>
    attempt.activities.noteTarget(endsAtMs - Date.now(), {
      ...attempt.name,
      target,
      images,
    }),
  );
  await assertNotPassed(attempt, noted?.passed);
  const behind = attempt.heedsTarget ? (noted?.behind ?? []) : [];
  if (attempt.awaitsIndexInImaging && behind.length === 0) await beginTests();
  const { number: roundNumber, renewedRound } = round;
  const renewed = renewedRound === undefined ? {} : { renewedRound };
  return {
    progress: { images, left, round: roundNumber, ...renewed, endsAtMs },
    behind: behind.map(({ source, is }) => `${source} ${is}`),
  };
}

/** Whether a round takes no base image that was made for an earlier one, or another landing. */
export function isOfNewBases({ number, renewedRound, endsAtMs }: TestingRound): boolean {
  return number > 0 || renewedRound !== undefined || endsAtMs !== undefined;
}

/**
 * Waits for all, and has the others stopped where one fails.
 *
 * @throws what the first one failed with, once all have ended
 */
async function allOrStopped<T>(
  attempt: LandingAttempt,
  works: readonly Promise<T>[],
): Promise<T[]> {
  const scope = CancellationScope.current();
  let firstError: unknown;
  const ended = await Promise.all(
    works.map((work) =>
      work.catch((error: unknown) => {
        // Older code went on at once.
        if (!attempt.knows('all-images-end')) throw error;
        firstError ??= error;
        scope.cancel();
        return undefined;
      }),
    ),
  );
  if (firstError !== undefined) throw firstError;
  return ended.filter((each) => each !== undefined);
}

async function makeImage(
  attempt: LandingAttempt,
  architecture: string,
  endsAtMs: number,
  round: TestingRound,
): Promise<TestedImage> {
  const { ppa } = attempt;
  const { series } = attempt.input.target;
  const testers = testersOf(attempt, architecture, { endsAtMs });
  const target = targetBeside(attempt);
  const { imageId: baseImageId } = await testers.makeBaseImage({
    distribution: ppa.distribution,
    series,
    architecture,
    ...(target === undefined ? {} : { target }),
    maxAgeMs: isOfNewBases(round) ? 0 : MAX_BASE_AGE_MS,
  });
  attempt.baseImageIds.push(baseImageId);
  const { imageId } = await testers.makeLandingImage({
    ...attempt.name,
    baseImageId,
    ppa,
    packages: attempt.packageVersions(),
  });
  return { architecture, imageId, baseImageId };
}

/** The target's PPA, where it is another than the landing's own. */
function targetBeside({ input, ppa }: LandingAttempt): string | undefined {
  const target = parseArchive(input.target.archive);
  const reference = target && isPpa(target) ? ppaReference(target) : undefined;
  return reference === ppaReference(ppa) ? undefined : reference;
}
