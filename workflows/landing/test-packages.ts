import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import { movedText } from '../../domain/landings/target-moved.ts';
import { awaitApproval } from './await-approval.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { makeImages, type Testing } from './make-images.ts';
import { beginPublishing } from './publish-packages.ts';
import { assertNoRegression, judge, runTests } from './run-tests.ts';

const STALE_CHECK_MS = 3_600_000;

/**
 * Tests what was built, has it approved, and enters the phase that publishes. What was tested is what is published:
 * where the target has changed meanwhile, images are made and tests are run once more, as often as the policy says.
 *
 * @param order the names of what is built, as publishPackages takes them
 * @throws LandingEnded where it must not be published
 */
export async function testPackages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  order: readonly string[],
): Promise<void> {
  let { testing: tested, approving } = attempt.input.resumed ?? {};
  let moved: string[] = [];
  for (let round = (approving ?? tested)?.progress?.round ?? 0; ; round++) {
    const progress =
      (approving ?? tested)?.progress ?? (await makeImages(attempt, policy, round, moved));
    const testing: Testing = { policy, progress };
    if (!approving) await runTests(attempt, testing, order);
    const judgeAgain = async () => assertNoRegression(await judge(attempt, testing));
    await awaitApproval(attempt, { order, progress, judgeAgain, endsAtMs: approving?.endsAtMs });
    tested = approving = undefined;
    const isUnmoved = async () => {
      moved = await movedSources(attempt);
      return moved.length === 0;
    };
    // Older code asked once, and before a pause.
    const isPublishing = attempt.knows('target-checked-last')
      ? await beginPublishing(attempt, isUnmoved)
      : (await isUnmoved()) && (await beginPublishing(attempt));
    if (isPublishing) return;
    if (round >= policy.staleTries)
      throw new LandingEnded(landingFailureOf('target_moved', attempt.phase, movedText(moved)));
  }
}

/** What the target has got since the tests were planned, such as `hello 2.10-4`. */
async function movedSources(attempt: LandingAttempt): Promise<string[]> {
  const { landingId, target } = attempt.input;
  const { moved } = await attempt.whileWanted(() =>
    attempt.activities.checkStale(STALE_CHECK_MS, { landingId, target }),
  );
  return moved.map(({ source, is }) => `${source} ${is}`);
}
