const POLL_MS = 250;

/** Holds scripted builds where they are, for as long as the script says so. */
export type ScriptGate = {
  /** Resolves when the source is released, or at once when the signal is aborted. */
  untilReleased(source: string, signal: AbortSignal): Promise<void>;
};

/**
 * Makes a gate. One timer polls for all builds that wait, once for each source, because thousands may.
 *
 * @param isReleased what the script says of a source now
 */
export function createScriptGate(
  isReleased: (source: string) => boolean,
  pollMs = POLL_MS,
): ScriptGate {
  const waiting = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  const poll = () => {
    for (const [source, builds] of waiting)
      if (isReleased(source)) for (const release of builds) release();
  };

  return {
    untilReleased(source, signal) {
      if (signal.aborted || isReleased(source)) return Promise.resolve();
      return new Promise((resolve) => {
        const builds = waiting.get(source) ?? new Set();
        const release = () => {
          signal.removeEventListener('abort', release);
          builds.delete(release);
          if (builds.size === 0) waiting.delete(source);
          if (waiting.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
          resolve();
        };
        waiting.set(source, builds.add(release));
        signal.addEventListener('abort', release);
        timer ??= setInterval(poll, pollMs);
      });
    },
  };
}
