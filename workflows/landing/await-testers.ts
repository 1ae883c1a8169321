import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import type { LandingAttempt } from './landing-attempt.ts';

const FIRST_POLL_MS = 20_000;
const MAX_PAUSE_MS = 600_000;

/**
 * Waits for work of testers, and reports meanwhile that no tester has taken it, and why. It asks after 20 seconds and then
 * with growing pauses. The work waits for no answer.
 *
 * @throws as `work`
 */
export async function awaitTesters<T>(
  attempt: LandingAttempt,
  architectures: readonly string[],
  work: Promise<T>,
): Promise<T> {
  if (!patched('await-testers')) return work;
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
      if (!answer) return;
      const { waitsFor } = answer;
      if (waitsFor !== known) await attempt.report(waitsFor === null ? {} : { waitsFor });
      known = waitsFor;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** @returns undefined where the work was done first */
  async function ask(): Promise<{ waitsFor: string | null } | undefined> {
    const scope = new CancellationScope();
    const asked = scope.run(() => attempt.activities.findUntaken([...architectures]));
    await Promise.race([asked, settled]);
    // Older code waited for the answer.
    if (!isDone || !patched('work-waits-for-no-answer')) return asked;
    asked.catch(() => undefined);
    scope.cancel();
    return undefined;
  }
}
