import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is true; a condition that throws counts as not yet true, and so does one that
 * has not answered when the wait ends.
 *
 * @throws Error that names what was waited for and the last fault, when `timeoutMs` have passed;
 * the signal's reason, when it is aborted
 */
export async function waitUntil(
  what: string,
  condition: () => Promise<boolean> | boolean,
  {
    timeoutMs,
    intervalMs = 50,
    signal,
  }: { timeoutMs: number; intervalMs?: number; signal?: AbortSignal },
): Promise<void> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const ended = once(ending.signal, 'abort').then(() => false);
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  let fault: unknown;
  const ask = async () => {
    try {
      return await condition();
    } catch (error) {
      fault = error;
      return false;
    }
  };
  try {
    do {
      // What is answered after the end is dropped.
      if (await Promise.race([ask(), ended])) return;
      await sleep(intervalMs, undefined, { signal: ending.signal }).catch(() => undefined);
    } while (!ending.signal.aborted);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
  signal?.throwIfAborted();
  throw new Error(
    `${what} did not happen within ${timeoutMs / 1_000} s` +
      (fault instanceof Error ? ` (${fault.message})` : ''),
    { cause: fault },
  );
}
