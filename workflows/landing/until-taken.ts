import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { TesterPlace } from '../../domain/testing/test-run.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { isUntaken } from './tester-failure.ts';
import type { AskTesters } from './tester-stubs.ts';

const DEFAULT_TESTER_MS = 2 * 3_600_000;

/**
 * Asks the testers of a place, and asks again where none has taken the work in time though there are some: they have
 * that of others. Each time it is the last in their queue once more, so it waits there for twice as long.
 *
 * @param endsAtMs when the time for it is over, in milliseconds since 1970
 * @throws ActivityFailure, as isUntaken knows it, where no tester is there or that time is over; else as the work
 */
export function untilTaken(
  attempt: LandingAttempt,
  place: TesterPlace,
  endsAtMs: number,
): AskTesters {
  return async (ask) => {
    const { testerMs: firstMs = DEFAULT_TESTER_MS } = attempt.input.limits;
    for (let testerMs = firstMs; ; testerMs *= 2)
      try {
        return await ask({ testerMs, leftMs: endsAtMs - Date.now() });
      } catch (error) {
        const isUntakenYet = error instanceof ActivityFailure && isUntaken(error);
        if (!isUntakenYet || !attempt.waitsForBusyTesters || Date.now() >= endsAtMs) throw error;
        if (!(await hasTester())) throw error;
      }
  };

  /** Whether one is there; not where nobody can tell. */
  async function hasTester(): Promise<boolean> {
    try {
      return (await attempt.activities.findTester(place)).isThere;
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      return false;
    }
  }
}
