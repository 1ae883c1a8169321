import { signal } from '@preact/signals';

/** What is off by less is left as it is: an answer tells the time to the second, and takes a while to come. */
const SMALL_MS = 5_000;
/** An answer that took longer tells no time: the machine may have slept meanwhile. */
const MAX_TRIP_MS = 5_000;

/** How far the API's clock is ahead of the reader's. */
export const aheadMs = signal(0);

/** The time now in milliseconds since 1970, by the API's clock where the reader's is wrong. */
export function readClock(): number {
  return Date.now() + aheadMs.peek();
}

/**
 * Sets the clock by an answer of the API: all moments that the pages show are the API's.
 *
 * @param date its `Date`; null where it has none
 * @param askedAtMs when it was asked for, by the reader's clock
 */
export function setClock(date: string | null, askedAtMs: number): void {
  const toldMs = Date.parse(date ?? '');
  const hereMs = Date.now();
  if (Number.isNaN(toldMs) || hereMs - askedAtMs > MAX_TRIP_MS) return;
  const toldAheadMs = toldMs - hereMs;
  if (Math.abs(toldAheadMs - aheadMs.peek()) >= SMALL_MS) aheadMs.value = toldAheadMs;
}
