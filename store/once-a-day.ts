/** What was begun so long ago, and is not done, was left by a crash. */
export const ABANDONED_MS = 86_400_000;

/**
 * Has a process look for what crashes have left: at its first call, and at the first one a day after it has looked. All
 * calls of that day wait for the same look, unless it fails: the next call looks again then.
 *
 * @param now ms since 1970
 */
export function onceADay(look: () => Promise<void>, now: () => number): () => Promise<void> {
  let latest: { done: Promise<void>; beganMs: number } | undefined;
  return () => {
    if (latest && now() - latest.beganMs <= ABANDONED_MS) return latest.done;
    const done = look();
    latest = { done, beganMs: now() };
    done.catch(() => {
      latest = undefined;
    });
    return done;
  };
}
