const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/**
 * Waits for a condition, which it asks again and again until it gives something that is not false or undefined: the less
 * often, the longer that has taken, so that a long wait costs no more processor time than a short one.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs = 60_000,
): Promise<T> {
  const begin = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
    const waitedMs = Date.now() - begin;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs / 20, FIRST_PAUSE_MS), MAX_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
