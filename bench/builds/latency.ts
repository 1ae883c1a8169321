import { quantile } from '../api/load.ts';
import type { Look } from './build-looks.ts';

/** Of many durations, in milliseconds. */
export type Spread = { count: number; p50Ms: number; p99Ms: number; maxMs: number };

/** From the look that saw the end of a build to its final message at the consumer, and where the time goes. */
export type EndLatency = {
  /** From when the look was due, so that a late timer counts. */
  fromDueMs: number;
  fromFiredMs: number;
  timerLateMs: number;
  lookMs: number;
  logsMs: number;
  messageMs: number;
};

/** Cuts a build's last moments into pieces. */
export function endLatency(
  look: Look,
  { logsCollectedAtMs, receivedAtMs }: { logsCollectedAtMs: number; receivedAtMs: number },
): EndLatency {
  return {
    fromDueMs: receivedAtMs - look.dueAtMs,
    fromFiredMs: receivedAtMs - look.firedAtMs,
    timerLateMs: look.firedAtMs - look.dueAtMs,
    lookMs: look.completedAtMs - look.firedAtMs,
    logsMs: logsCollectedAtMs - look.completedAtMs,
    messageMs: receivedAtMs - logsCollectedAtMs,
  };
}

/** @throws Error where there are no values, or one that is none */
export function spreadOf(valuesMs: readonly number[]): Spread {
  if (valuesMs.some(Number.isNaN)) throw new Error('A duration is missing.');
  const sorted = Float64Array.from(valuesMs).toSorted();
  return {
    count: sorted.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs: quantile(sorted, 1),
  };
}
