import { signal, type Signal } from '@preact/signals';
import { aheadMs, readClock } from './server/api-clock.ts';
import { isVisible } from './server/page-visibility.ts';

/** The time in milliseconds since 1970, moved once a second while the page is seen. */
export const nowMs: Signal<number> = ticking(1_000);
/** The same, moved every ten seconds: for "5 minutes ago". */
export const roughNowMs: Signal<number> = ticking(10_000);

function ticking(everyMs: number): Signal<number> {
  const now = signal(readClock());
  const tick = () => {
    if (isVisible.peek()) now.value = readClock();
  };
  setInterval(tick, everyMs);
  isVisible.subscribe(tick);
  aheadMs.subscribe(tick);
  return now;
}
