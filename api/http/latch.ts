/** Remembers that it was set, so that news between a look and the wait after it is not lost. */
export type Latch = {
  set(): void;
  reset(): void;
  /** Resolves when it is set, or after so long. */
  wait(maxMs: number): Promise<void>;
};

/** @param signal sets it for good when it aborts */
export function createLatch(signal: AbortSignal): Latch {
  let isSet = signal.aborted;
  let release: (() => void) | undefined;
  const set = () => {
    isSet = true;
    release?.();
  };
  signal.addEventListener('abort', set, { once: true });
  return {
    set,
    reset: () => {
      isSet = signal.aborted;
    },
    wait: async (maxMs) => {
      if (isSet) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        release = resolve;
        timer = setTimeout(resolve, maxMs);
      });
      clearTimeout(timer);
    },
  };
}
