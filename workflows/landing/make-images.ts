import { CancellationScope } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { TestedImage, TestingProgress } from '../../domain/landings/landing.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import { isPpa, parseArchive } from '../../domain/packages/archive.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import { assertNotRejected } from './await-approval.ts';
import { awaitTesters } from './await-testers.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { testerStubs } from './tester-stubs.ts';
import { untilTaken } from './until-taken.ts';
import { withinTestsTime } from './within-tests-time.ts';

// Where the target has changed, or the image may be older than what was built, the archive is looked at anew.
const MAX_BASE_AGE_MS = 86_400_000;
const DEFAULT_TESTS_MS = 2 * 86_400_000;

/** Which round of images and tests is made. */
export type Round = {
  /** 0, and one more each time that the target has changed. */
  number: number;
  /** What the target has got, such as `hello 2.10-4`; nothing in the first round. */
  moved: readonly string[];
  /** Whether an earlier one failed on base images that may be older than what was built. */
  isRenewed: boolean;
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
 * Makes the images to test in, one for each architecture, and plans the tests.
 *
 * @throws LandingEnded where it is rejected or cancelled, or the time for its tests is over; ActivityFailure where an
 * image cannot be made
 */
export async function makeImages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  round: Round,
): Promise<TestingProgress> {
  const { input } = attempt;
  const beganAtMs = Date.now();
  let endsAtMs = beganAtMs + (input.limits.testsMs ?? DEFAULT_TESTS_MS) + (await attempt.proceed());
  assertNotRejected(attempt);
  attempt.forgetDecision();
  attempt.baseImageIds = [];
  const targetMoved = round.moved.length > 0 ? { targetMoved: [...round.moved] } : {};
  await attempt.begin('imaging', { ...targetMoved, ...attempt.forgetVerdict() });
  const { testArchitectures } = policy;
  const images = await withinTestsTime(
    attempt,
    endsAtMs,
    'the images to test in were not made in time',
    () =>
      awaitTesters(
        attempt,
        testArchitectures,
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
  await attempt.begin('testing', { baseImageId: first.baseImageId });
  const packages = attempt.packageVersions();
  const { landingId, attempt: number, target } = input;
  let left = 0;
  let room = policy.maxTestRuns;
  for (const image of images) {
    const planned = await withinTestsTime(
      attempt,
      endsAtMs,
      'the tests to run were not chosen in time',
      () =>
        testersOf(attempt, image.architecture, { endsAtMs }).planTests({
          ...image,
          landingId,
          attempt: number,
          packages,
          tests: policy.tests,
          maxTestRuns: room,
        }),
    );
    left += planned.left;
    room = Math.max(room - planned.runIds.length, 0);
  }
  await attempt.whileWanted(() =>
    attempt.activities.noteTarget(endsAtMs - Date.now(), {
      landingId,
      attempt: number,
      target,
      images,
    }),
  );
  const { number: roundNumber, isRenewed } = round;
  return { images, left, round: roundNumber, ...(isRenewed ? { isRenewed } : {}), endsAtMs };
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
  { number: round, isRenewed }: Round,
): Promise<TestedImage> {
  const { landingId, attempt: number } = attempt.input;
  const { ppa } = attempt;
  const { series } = attempt.input.target;
  const testers = testersOf(attempt, architecture, { endsAtMs });
  const target = targetBeside(attempt);
  const { imageId: baseImageId } = await testers.makeBaseImage({
    distribution: ppa.distribution,
    series,
    architecture,
    ...(target === undefined ? {} : { target }),
    maxAgeMs: round === 0 && !isRenewed ? MAX_BASE_AGE_MS : 0,
  });
  attempt.baseImageIds.push(baseImageId);
  const { imageId } = await testers.makeLandingImage({
    landingId,
    attempt: number,
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
