import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is true; a condition that throws counts as not yet true.
 *
 * @throws Error that names what was waited for and the last fault, when `timeoutMs` have passed;
 * the signal's reason, when it is aborted
 */
export async function waitUntil(
  what: string,
  condition: () => Promise<boolean> | boolean,
  options: { timeoutMs: number; intervalMs?: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  let fault: unknown;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      if (await condition()) return;
    } catch (error) {
      fault = error;
    }
    if (Date.now() >= deadline)
      throw new Error(
        `${what} did not happen within ${options.timeoutMs / 1_000} s` +
          (fault instanceof Error ? ` (${fault.message})` : ''),
        { cause: fault },
      );
    await sleep(options.intervalMs ?? 50);
  }
}
