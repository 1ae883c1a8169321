import type { Table } from '../report.ts';
import type { OperationRounds } from './compare.ts';
import type { LayerSummary } from './layers.ts';
import { CONNECTIONS } from './operations.ts';
import { SIZES, type Size } from './seed.ts';
import {
  goals,
  MIN_GROWTH_RATIO,
  MAX_P99_MS,
  summarise,
  type OperationSummary,
} from './summary.ts';

type Report = { title: string; lines: string[]; tables: Table[] };

const count = (number: number) => number.toLocaleString('en-US', { maximumFractionDigits: 0 });
const SIZE_NAMES: Record<Size, string> = {
  small: `${count(SIZES.small.open)} tickets`,
  large: `${count(SIZES.large.open + SIZES.large.closed)} tickets`,
};

/** The API beside its peer, for people. */
export function apiReport(measured: readonly OperationRounds[], windowMs: number): Report {
  const summaries = measured.map(summarise);
  const missed = summaries.flatMap(goals).filter(({ isMet }) => !isMet);
  const rounds = measured[0]?.rounds.length ?? 0;
  return {
    title: 'The API beside raw node:http and pg',
    lines: [
      `Goals: ${
        missed.length === 0
          ? 'all met.'
          : `missed: ${missed.map(({ what, value, limit }) => `${what} (${value.toFixed(2)}, goal ${limit})`).join('; ')}.`
      }`,
      `Two databases in one PostgreSQL, as it ships (durable, autovacuum on): ${count(SIZES.small.open)} open tickets, and the same number with ${count(SIZES.large.closed)} closed ones beside them. Each has Airline's API (\`main/api.ts\`, authentication off, every request logged to a file; Temporal and RabbitMQ are not running, as no ticket needs them) and a peer: a minimal server of \`node:http\` and \`pg\` with named statements and as large a pool, which gives the same bytes (compared before the measurement). autocannon keeps ${CONNECTIONS} connections busy. Medians of ${rounds} rounds of ${windowMs / 1_000} s, in each of which all four servers are loaded in turn, in alternating order; a ratio is the median of the rounds' own.`,
      'The peer has tables of its own with the same columns and indexes, without triggers, foreign keys and hashes: its PATCH writes the ticket and the row of its history in one statement. It checks nothing, logs nothing, and knows no other address. Load, servers and database share the cores; `CPU` is the processor time of the server alone for one request.',
    ],
    tables: [
      ...(['small', 'large'] as const).map((size) => comparisonTable(summaries, size)),
      growthTable(summaries),
      roundsTable(measured),
    ],
  };
}

function comparisonTable(summaries: readonly OperationSummary[], size: Size): Table {
  return {
    head: [
      SIZE_NAMES[size],
      'raw, req/s',
      'Airline, req/s',
      'ratio',
      'goal',
      '',
      'raw p50, ms',
      'Airline p50, ms',
      'raw p99, ms',
      'Airline p99, ms',
      `under ${MAX_P99_MS}`,
      'raw CPU, µs',
      'Airline CPU, µs',
    ],
    rows: summaries.map(({ title, floor, sizes }) => {
      const { raw, airline, ratio } = sizes[size];
      return [
        title,
        count(raw.requestsPerSecond),
        count(airline.requestsPerSecond),
        ratio.toFixed(2),
        `≥ ${floor}`,
        verdict(ratio >= floor),
        raw.p50Ms.toFixed(1),
        airline.p50Ms.toFixed(1),
        raw.p99Ms.toFixed(1),
        airline.p99Ms.toFixed(1),
        verdict(airline.p99Ms < MAX_P99_MS),
        count(raw.cpuUsPerRequest),
        count(airline.cpuUsPerRequest),
      ];
    }),
  };
}

function growthTable(summaries: readonly OperationSummary[]): Table {
  return {
    head: [
      `${SIZE_NAMES.large} as a share of ${SIZE_NAMES.small}`,
      'raw',
      'Airline',
      'goal (Airline)',
      '',
    ],
    rows: summaries.map(({ title, growth }) => [
      title,
      growth.raw.toFixed(2),
      growth.airline.toFixed(2),
      `≥ ${MIN_GROWTH_RATIO}`,
      verdict(growth.airline >= MIN_GROWTH_RATIO),
    ]),
  };
}

function roundsTable(measured: readonly OperationRounds[]): Table {
  const most = Math.max(...measured.map(({ rounds }) => rounds.length));
  return {
    head: ['ratio, small / large', ...Array.from({ length: most }, (_, at) => `round ${at + 1}`)],
    rows: measured.map(({ operation, rounds }) => [
      operation,
      ...rounds.map(({ small, large }) =>
        [small, large]
          .map(({ raw, airline }) => (airline.requestsPerSecond / raw.requestsPerSecond).toFixed(2))
          .join(' / '),
      ),
    ]),
  };
}

/** What each layer between the socket and the answer costs, for people. */
export function layersReport(layers: readonly LayerSummary[], windowMs: number): Report {
  const operations = layers[0]?.operations.map(({ operation }) => operation) ?? [];
  return {
    title: 'What each layer of the API costs',
    lines: [
      `${CONNECTIONS} connections of autocannon, ${SIZE_NAMES.small}; every layer is a process of its own and gives the same bytes. Medians of rounds of ${windowMs / 1_000} s, in each of which all layers are loaded in turn. \`CPU\` is the processor time of the server for one request; the difference between two layers is what the upper one costs.`,
    ],
    tables: operations.map((operation, at) => ({
      head: [operation, 'req/s', 'p50, ms', 'p99, ms', 'CPU, µs'],
      rows: layers.map(({ title, operations: samples }) => {
        const sample = samples[at]?.sample;
        return sample
          ? [
              title,
              count(sample.requestsPerSecond),
              sample.p50Ms.toFixed(1),
              sample.p99Ms.toFixed(1),
              count(sample.cpuUsPerRequest),
            ]
          : [title];
      }),
    })),
  };
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'missed';
}
