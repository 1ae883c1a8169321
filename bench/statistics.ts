/** The middle value; of an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('There is no median of nothing.');
  return (low + high) / 2;
}

/** Of many durations, in milliseconds: the middle one, that which 99 in 100 do not exceed, and the longest. */
export type Spread = { count: number; p50Ms: number; p99Ms: number; maxMs: number };

/** @throws Error where there are no values, or one is missing */
export function spreadOf(valuesMs: readonly number[]): Spread {
  if (valuesMs.some(Number.isNaN)) throw new Error('A duration is missing.');
  const sorted = Float64Array.from(valuesMs).toSorted();
  const quantile = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
    if (value === undefined) throw new Error('There is no quantile of nothing.');
    return value;
  };
  return { count: sorted.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: quantile(1) };
}
