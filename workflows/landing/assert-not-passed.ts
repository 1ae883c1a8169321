import { failureOfAll, landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

const CHECK_MS = 3_600_000;

/**
 * Ends a landing whose target has passed it: it would be tested, and approved, for copies that are refused. The check
 * of the copies has the last word, as it knows what the target has of earlier attempts.
 *
 * @param passed the sources of which the target has a newer version than the landing's
 * @throws LandingEnded where the target refuses a copy of one of them, or it is cancelled
 */
export async function assertNotPassed(
  attempt: LandingAttempt,
  passed: readonly string[] = [],
): Promise<void> {
  if (!attempt.heedsTarget || passed.length === 0) return;
  const { activities, ppa, phase } = attempt;
  const { target, requestedAtMs, landingId } = attempt.input;
  const packages = attempt.packageVersions().filter(({ source }) => passed.includes(source));
  const { refused } = await attempt.whileWanted(() =>
    activities.checkCopies(CHECK_MS, { ppa, target, requestedAtMs, landingId, packages }),
  );
  const [first, ...others] = refused.map(({ source, message }) =>
    landingFailureOf('copy_refused', phase, `${source}: ${message}`, { package: source }),
  );
  if (first) throw new LandingEnded(failureOfAll(first, others));
}
