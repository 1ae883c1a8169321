import { median } from '../statistics.ts';
import type { OperationRounds } from './compare.ts';
import type { Sample } from './load.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import type { Size } from './seed.ts';

/** Least throughput with all the closed tickets, as a share of that without them. */
export const MIN_GROWTH_RATIO = 0.8;
export const MAX_P99_MS = 50;

/** Medians of an operation's rounds. */
export type OperationSummary = {
  operation: OperationName;
  title: string;
  floor: number;
  sizes: Record<Size, { raw: Sample; airline: Sample; ratio: number }>;
  /** Throughput on the large database as a share of that on the small one. */
  growth: { raw: number; airline: number };
};

/** Something that the measurement must show. */
export type Goal = { what: string; value: number; limit: number; isMet: boolean };

/** Medians of the rounds; a ratio is the median of the rounds' own ratios, so that what slows a round cancels out. */
export function summarise({ operation, rounds }: OperationRounds): OperationSummary {
  const declared = OPERATIONS.find(({ name }) => name === operation);
  if (!declared) throw new Error(`there is no operation ${operation}`);
  const { title, floor } = declared;
  const of = (size: Size) => ({
    raw: medianSample(rounds.map((round) => round[size].raw)),
    airline: medianSample(rounds.map((round) => round[size].airline)),
    ratio: medianOf(rounds, (round) => rate(round[size].airline) / rate(round[size].raw)),
  });
  const growth = (kind: 'raw' | 'airline') =>
    medianOf(rounds, ({ small, large }) => rate(large[kind]) / rate(small[kind]));
  return {
    operation,
    title,
    floor,
    sizes: { small: of('small'), large: of('large') },
    growth: { raw: growth('raw'), airline: growth('airline') },
  };
}

/** The goals of an operation: a share of the peer's throughput, a latency, and that closed tickets cost little. */
export function goals({ title, floor, sizes, growth }: OperationSummary): Goal[] {
  const atLeast = (what: string, value: number, limit: number): Goal => ({
    what: `${title}: ${what}`,
    value,
    limit,
    isMet: value >= limit,
  });
  const below = (what: string, value: number, limit: number): Goal => ({
    what: `${title}: ${what}`,
    value,
    limit,
    isMet: value < limit,
  });
  return [
    atLeast('throughput as a share of raw, small', sizes.small.ratio, floor),
    atLeast('throughput as a share of raw, large', sizes.large.ratio, floor),
    below('p99 in ms, small', sizes.small.airline.p99Ms, MAX_P99_MS),
    below('p99 in ms, large', sizes.large.airline.p99Ms, MAX_P99_MS),
    atLeast('throughput large as a share of small', growth.airline, MIN_GROWTH_RATIO),
  ];
}

/** Each figure's median. */
export function medianSample(samples: readonly Sample[]): Sample {
  return {
    requestsPerSecond: medianOf(samples, rate),
    p50Ms: medianOf(samples, ({ p50Ms }) => p50Ms),
    p99Ms: medianOf(samples, ({ p99Ms }) => p99Ms),
    cpuUsPerRequest: medianOf(samples, ({ cpuUsPerRequest }) => cpuUsPerRequest),
    loadCpuShare: medianOf(samples, ({ loadCpuShare }) => loadCpuShare),
  };
}

function rate({ requestsPerSecond }: Sample): number {
  return requestsPerSecond;
}

function medianOf<T>(values: readonly T[], figure: (value: T) => number): number {
  return median(values.map(figure));
}
