import { SBUILD } from './build-timeline.ts';
import type { Overhead, OverheadRun } from './overhead.ts';
import type { Table } from './report.ts';
import type { UploadMeasurement } from './upload.ts';

const MIBIBYTE = 2 ** 20;
const MIN_RATIO = 0.8;
const MAX_GROWTH_BYTES = 64 * MIBIBYTE;

type Report = { title: string; lines: string[]; tables: Table[] };

/** The overhead for people: each run with its median, and where the overhead goes. */
export function overheadReport({ runs, median }: Overhead): Report {
  const columns = [...runs, median];
  const row = (name: string, value: (run: OverheadRun) => number) => [
    name,
    ...columns.map((run) => (value(run) / 1_000).toFixed(2)),
  ];
  return {
    title: "Overhead of the system for Debian's hello",
    lines: [
      `The system adds ${(median.overheadMs / 1_000).toFixed(2)} s (median of ${runs.length} builds). All times are in seconds.`,
      'Overhead is the time from the POST of build_source to the final message at an AMQP consumer, less the time that the process of sbuild ran. The rows from the request to the final message have no gap and no overlap; those but sbuild add up to the overhead of their build.',
    ],
    tables: [
      {
        head: ['', ...runs.map((_, at) => `build ${at + 1}`), 'median'],
        rows: [
          row('POST to final message', ({ totalMs }) => totalMs),
          row('process of sbuild', ({ sbuildMs }) => sbuildMs),
          row('overhead', (run) => run.overheadMs),
          row('for comparison: build record, started to built', (run) => run.buildRecordMs),
        ],
      },
      {
        head: ['where the time goes', ...runs.map((_, at) => `build ${at + 1}`), 'median'],
        rows: median.segments.map(({ name }, at) =>
          row(
            name === SBUILD ? `(${name}, not overhead)` : name,
            (run) => run.segments[at]?.durationMs ?? Number.NaN,
          ),
        ),
      },
    ],
  };
}

/** The upload for people: each round beside curl's, and the memory. */
export function uploadReport(measured: UploadMeasurement): Report {
  const { sizeBytes, rounds } = measured;
  const mebibytes = (bytes: number) => (bytes / MIBIBYTE).toFixed(1);
  const rate = (ms: number) => ((sizeBytes / MIBIBYTE / ms) * 1_000).toFixed(0);
  const met = (isMet: boolean) => (isMet ? 'met' : 'missed');
  return {
    title: 'Upload of a source package against curl',
    lines: [
      `${mebibytes(sizeBytes)} MiB in one FTP session to the same server over loopback. curl reads the files from the disk; the system streams them from its data store, where it has checked them before. The system's time is that of the whole activity, curl's that of the transfers alone, without its log-in and its waits before a file.`,
      `Throughput, medians of ${rounds.length} rounds: ${(measured.airlineBytesPerSecond / MIBIBYTE).toFixed(0)} MiB/s, curl ${(measured.curlBytesPerSecond / MIBIBYTE).toFixed(0)} MiB/s. Median of the rounds' ratios: ${measured.ratio.toFixed(2)} of curl's. Goal, at least ${MIN_RATIO}: ${met(measured.ratio >= MIN_RATIO)}.`,
      `Memory of the worker grew by at most ${mebibytes(measured.workerGrowthBytes)} MiB over a whole build. Goal, under ${MAX_GROWTH_BYTES / MIBIBYTE} MiB: ${met(measured.workerGrowthBytes < MAX_GROWTH_BYTES)}. A first build of a small package, before these rounds, took ${mebibytes(measured.firstBuildGrowthBytes)} MiB. The API grew by at most ${mebibytes(measured.apiGrowthBytes)} MiB, and by ${mebibytes(measured.apiStoreGrowthBytes)} MiB while it took the files in.`,
    ],
    tables: [
      {
        head: ['round', 'first', 'curl, MiB/s', 'Airline, MiB/s', 'ratio'],
        rows: rounds.map((round, at) => [
          String(at + 1),
          round.first === 'curl' ? 'curl' : 'Airline',
          rate(round.curlMs),
          rate(round.airlineMs),
          round.ratio.toFixed(2),
        ]),
      },
      {
        head: ['memory in MiB: growth (before, peak)', ...rounds.map((_, at) => `round ${at + 1}`)],
        rows: (['worker', 'api', 'stand-in'] as const).map((part) => [
          part === 'api' ? 'API' : part,
          ...rounds.map(({ memory }) => {
            const { beforeBytes, peakBytes, growthBytes } = memory[part];
            return `${mebibytes(growthBytes)} (${mebibytes(beforeBytes)}, ${mebibytes(peakBytes)})`;
          }),
        ]),
      },
    ],
  };
}
