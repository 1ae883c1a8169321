const POLL_MS = 250;

/** Holds scripted builds where they are, for as long as the script says so. */
export type ScriptGate = {
  /** Resolves when the source has this release, or at once when the signal is aborted. */
  untilReleased(source: string, release: number, signal: AbortSignal): Promise<void>;
};

/**
 * Makes a gate. One timer polls for all builds that wait, once for each source and release, because thousands may.
 *
 * @param isReleased what the script says of a source now
 */
export function createScriptGate(
  isReleased: (source: string, release: number) => boolean,
  pollMs = POLL_MS,
): ScriptGate {
  type Waiting = { source: string; release: number; builds: Set<() => void> };
  const waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;

  const poll = () => {
    for (const { source, release, builds } of waiting.values())
      if (isReleased(source, release)) for (const goOn of builds) goOn();
  };

  return {
    untilReleased(source, release, signal) {
      if (signal.aborted || isReleased(source, release)) return Promise.resolve();
      return new Promise((resolve) => {
        const key = `${release} ${source}`;
        const { builds } = waiting.get(key) ?? { builds: new Set() };
        const goOn = () => {
          signal.removeEventListener('abort', goOn);
          builds.delete(goOn);
          if (builds.size === 0) waiting.delete(key);
          if (waiting.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
          resolve();
        };
        waiting.set(key, { source, release, builds: builds.add(goOn) });
        signal.addEventListener('abort', goOn);
        timer ??= setInterval(poll, pollMs);
      });
    },
  };
}
