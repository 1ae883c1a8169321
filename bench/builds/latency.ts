import { quantile } from '../statistics.ts';

/** Of many durations, in milliseconds. */
export type Spread = { count: number; p50Ms: number; p99Ms: number; maxMs: number };

/** @throws Error where there are no values, or one is missing */
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
