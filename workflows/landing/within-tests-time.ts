import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { failureOfTester, isUntaken } from './tester-failure.ts';

/**
 * Has testers do something, within the time that the tests have.
 *
 * @param endsAtMs when that time is over, in milliseconds since 1970
 * @param howFar how far the landing has come by then, in one sentence
 * @throws LandingEnded where it is over before the testers have done it, or a cancellation was asked for; else as
 * `work`
 */
export async function withinTestsTime<T>(
  attempt: LandingAttempt,
  endsAtMs: number,
  howFar: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt.whileWanted(work);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || !isCutOff(error, endsAtMs)) throw error;
    const lastFault = error.cause?.cause;
    const why = lastFault instanceof ApplicationFailure ? `: ${lastFault.message}` : '';
    throw testsTimedOut(attempt, `${howFar}${why}`);
  }
}

/** How a landing ends whose time for tests is over. */
export function testsTimedOut({ phase }: LandingAttempt, howFar: string): LandingEnded {
  return new LandingEnded(landingFailureOf('tests_timed_out', phase, howFar));
}

/** Whether the time of a tester's activity, which is what the tests have left, was over before it was done. */
function isCutOff(failure: ActivityFailure, endsAtMs: number): boolean {
  const { cause } = failure;
  if (failureOfTester(failure) === undefined || !(cause instanceof TimeoutFailure)) return false;
  // Temporal calls it untaken, too, where it was the time to do it that was over first.
  return (
    cause.timeoutType === 'SCHEDULE_TO_CLOSE' || (isUntaken(failure) && Date.now() >= endsAtMs)
  );
}
