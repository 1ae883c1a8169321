import { atLeast, below, type Goal } from '../report.ts';
import { median } from '../statistics.ts';
import type { Sample } from './load.ts';
import type { Measured } from './measured.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import type { Size } from './seed.ts';
import { AIRLINE, COMPARISONS, type ComparisonName } from './targets.ts';

/** Least throughput with all the closed tickets, as a share of that without them. */
const MIN_GROWTH_RATIO = 0.8;
/** Least throughput of two processes, as a share of that of one. */
const MIN_PROCESSES_RATIO = 1.5;
const MAX_P99_MS = 50;

/** Medians of one target's rounds of one operation. */
export type Row = {
  operation: OperationName;
  title: string;
  size: Size;
  sample: Sample;
  /** Throughput as a share of that of the comparison's first target on the same database. */
  share: number;
  /** Throughput as a share of that of the same target on the small database. */
  growth: number;
};

/** Medians of the rounds; a share is the median of the rounds' own, so that what slows a round cancels out. */
export function summarise(measured: readonly Measured[]): Row[] {
  return measured.map(({ operation, title, size, samples }) => {
    const sameOperation = measured.filter((other) => other.operation === operation);
    const peer = sameOperation.find((other) => other.size === size);
    const small = sameOperation.find((other) => other.size === 'small' && other.title === title);
    return {
      operation,
      title,
      size,
      sample: medianSample(samples),
      share: medianShare(samples, peer?.samples ?? samples),
      growth: medianShare(samples, small?.samples ?? samples),
    };
  });
}

/** The goals of a comparison: a share of the peer's throughput, a latency, and that closed tickets cost little. */
export function goals(name: ComparisonName, rows: readonly Row[]): Goal[] {
  switch (name) {
    case 'api':
      return rows
        .filter(({ title }) => title === AIRLINE)
        .flatMap(({ operation, size, share, growth, sample }) => [
          atLeast(
            `${operation}, ${size}: throughput as a share of the peer's`,
            share,
            floorOf(operation),
          ),
          below(`${operation}, ${size}: p99 in ms`, sample.p99Ms, MAX_P99_MS),
          ...(size === 'large'
            ? [
                atLeast(
                  `${operation}: throughput large as a share of small`,
                  growth,
                  MIN_GROWTH_RATIO,
                ),
              ]
            : []),
        ]);
    case 'processes':
      return rows
        .filter(({ title }) => title === COMPARISONS.processes.targets[1].title)
        .map(({ operation, share }) =>
          atLeast(`${operation}: two processes as a share of one`, share, MIN_PROCESSES_RATIO),
        );
    case 'layers':
      return [];
  }
}

function floorOf(operation: OperationName): number {
  return OPERATIONS.find(({ name }) => name === operation)?.floor ?? Number.NaN;
}

function medianShare(samples: readonly Sample[], of: readonly Sample[]): number {
  return median(
    samples.map(
      (sample, at) => sample.requestsPerSecond / (of[at]?.requestsPerSecond ?? Number.NaN),
    ),
  );
}

/** Each figure's median. */
function medianSample(samples: readonly Sample[]): Sample {
  const of = (figure: keyof Sample) => median(samples.map((sample) => sample[figure]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuUsPerRequest: of('cpuUsPerRequest'),
    loadCpuShare: of('loadCpuShare'),
  };
}
