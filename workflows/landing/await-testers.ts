import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { LandingAttempt } from './landing-attempt.ts';

/** What it waits for, in words; null where testers have all of it. */
type Answer = { waitsFor: string | null };

const FIRST_POLL_MS = 20_000;
const MAX_PAUSE_MS = 600_000;

/**
 * Waits for work of testers, and reports meanwhile that no tester has taken it, and why. It asks after 20 seconds and
 * then with growing pauses. The work waits for no answer.
 *
 * @param architectures those of what is not done yet
 * @throws as `work`
 */
export async function awaitTesters<T>(
  attempt: LandingAttempt,
  architectures: () => readonly string[],
  work: Promise<T>,
): Promise<T> {
  if (!attempt.knows('await-testers')) return work;
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  const settled = work.then(end, end);
  try {
    await watch();
  } catch (error) {
    // What is cancelled says so itself, once it has ended.
    if (!isCancellation(error)) throw error;
  }
  return work;

  async function watch(): Promise<void> {
    let known: string | null = null;
    let pauseMs = attempt.input.limits.testerPollMs ?? FIRST_POLL_MS;
    while (!(await condition(() => isDone, pauseMs))) {
      const answer = await ask();
      const waitsFor: string | null = answer ? answer.waitsFor : known;
      if (waitsFor !== known) await tell(waitsFor);
      known = waitsFor;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
    // Older code left that to the report of the next phase.
    if (known !== null && attempt.awaitsTestersOfTests) await tell(null);
  }

  async function tell(waitsFor: string | null): Promise<void> {
    await attempt.report({ keepsRuns: true, ...(waitsFor === null ? {} : { waitsFor }) });
  }

  /** @returns undefined where the work was done first, or nobody can tell */
  async function ask(): Promise<Answer | undefined> {
    const { findUntaken, findUntakenLocally } = attempt.activities;
    const { distribution } = attempt.ppa;
    const places = architectures().map((architecture) => ({ distribution, architecture }));
    // In a replay, a local activity ends at once: whether the work was done first is not to be told.
    if (!attempt.knows('work-waits-for-no-answer')) return findUntakenLocally(places);
    const scope = new CancellationScope();
    const asked = scope
      .run(() => findUntaken(places))
      .catch((error: unknown) => {
        if (isDone || (error instanceof ActivityFailure && !isCancellation(error)))
          return undefined;
        throw error;
      });
    await Promise.race([asked, settled]);
    if (!isDone) return asked;
    scope.cancel();
    return undefined;
  }
}

/** The same for work in images that are made. Older code said nothing of it. */
export async function awaitTestersOfTests<T>(
  attempt: LandingAttempt,
  architectures: () => readonly string[],
  work: Promise<T>,
): Promise<T> {
  return attempt.awaitsTestersOfTests ? awaitTesters(attempt, architectures, work) : work;
}
