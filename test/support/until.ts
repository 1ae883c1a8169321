import { withDeadline } from '../../timing/deadline.ts';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/**
 * Waits for a condition, which it asks again and again until it gives something that is not false or undefined: the
 * less often, the longer that has taken, so that a long wait costs no more processor time than a short one.
 *
 * @throws Error that names what was waited for, when the time is over, be it in the middle of asking; what `ask` throws
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs = 60_000,
): Promise<T> {
  const begin = Date.now();
  const late = `not within ${withinMs} ms: ${what}`;
  for (;;) {
    const leftMs = begin + withinMs - Date.now();
    // An answer that is there at once counts even at the very end.
    const answer = await withDeadline(Promise.resolve(ask()), Math.max(leftMs, 0), late);
    if (answer !== false && answer !== undefined) return answer;
    const waitedMs = Date.now() - begin;
    if (waitedMs > withinMs) throw new Error(late);
    const pauseMs = Math.min(Math.max(waitedMs / 20, FIRST_PAUSE_MS), MAX_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
