/** A sleep that can be cut short. */
export type WakeableSleep = {
  /** Ends the sleep. Where nobody sleeps, the next sleep ends at once, so that a wake-up during work is not lost. */
  wake(): void;
  /** Resolves after so long, or when it is woken. One at a time. */
  sleep(maxMs: number): Promise<void>;
};

/** @param signal ends the sleep, and every later one, when it aborts */
export function createWakeableSleep(signal: AbortSignal): WakeableSleep {
  let isAwake = false;
  let wakeUp: (() => void) | undefined;
  const wake = () => {
    isAwake = true;
    wakeUp?.();
  };
  signal.addEventListener('abort', wake, { once: true });
  return {
    wake,
    async sleep(maxMs) {
      if (!isAwake && !signal.aborted) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          timer = setTimeout(resolve, maxMs);
        });
        clearTimeout(timer);
      }
      isAwake = false;
    },
  };
}
