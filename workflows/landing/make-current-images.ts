import type { TestingProgress } from '../../domain/landings/landing.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { isOfNewBases, makeImages, type Round } from './make-images.ts';

/**
 * Makes the images to test in, and plans the tests. Base images that others have used may be behind the target: what is
 * tested in an older version than the target has published would be tested, and approved, in vain. Then they are made
 * anew at once, which is no change of the target.
 *
 * @throws as makeImages
 */
export async function makeCurrentImages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  round: Round,
): Promise<TestingProgress> {
  const { progress, behind } = await makeImages(attempt, policy, round);
  if (behind.length === 0 || isOfNewBases(round)) return progress;
  const again = await makeImages(attempt, policy, { ...round, endsAtMs: progress.endsAtMs });
  return again.progress;
}
