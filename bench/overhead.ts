import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchSource } from '../main/demo/apt-source.ts';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import { makeNewVersion } from '../main/demo/new-version.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { buildTimeline, overheadMs, type Segment } from './build-timeline.ts';
import { buildRecordTimes, publishedSource } from './ppa-records.ts';
import { requestBuild } from './request-build.ts';
import { watchSbuild } from './sbuild-process.ts';
import { median } from './statistics.ts';

const PACKAGE = 'hello';
const BUILD_LIMIT_MS = 60 * 60_000;
const PUBLICATION_LIMIT_MS = 120_000;
const NEEDED_BYTES = 4 * 2 ** 30;

/** One build: all its time is `sbuildMs` and `overheadMs`. */
export type OverheadRun = {
  totalMs: number;
  sbuildMs: number;
  overheadMs: number;
  /** Launchpad's own measure of the build, `date_started` to `datebuilt`, for comparison. */
  buildRecordMs: number;
  segments: Segment[];
};

export type Overhead = {
  runs: OverheadRun[];
  median: OverheadRun;
};

/**
 * Measures what the system adds to a build of Debian's `hello`: the time from the POST to the final message at an
 * AMQP consumer, less the time in sbuild. Each run builds a new version in a PPA of its own, so that all are alike.
 * One build before them is not counted: it makes the chroot where the machine has none yet.
 */
export function measureOverhead(options: {
  runs: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Overhead> {
  const { say, signal } = options;
  return withBenchStack({ neededBytes: NEEDED_BYTES, signal }, async (bench) => {
    const dsc = await fetchSource(PACKAGE, join(bench.scratchDir, 'fetched'));
    const warmUp = await measureBuild(bench, dsc, 0, signal);
    say(`first build, not counted: ${describe(warmUp)}`);
    const runs: OverheadRun[] = [];
    for (let number = 1; number <= options.runs; number++) {
      const run = await measureBuild(bench, dsc, number, signal);
      runs.push(run);
      say(`build ${number} of ${options.runs}: ${describe(run)}`);
    }
    return { runs, median: medianRun(runs) };
  });
}

async function measureBuild(
  bench: BenchStack,
  dsc: string,
  number: number,
  signal: AbortSignal,
): Promise<OverheadRun> {
  signal.throwIfAborted();
  const { addresses, logDir } = bench.stack;
  const { distribution, series } = await machineSeries();
  const ppa = { owner: 'airline', distribution, name: `bench-${number}` };
  const upload = await makeNewVersion({
    dsc,
    directory: join(bench.scratchDir, `upload-${number}`),
    series,
    keysDirectory: bench.keysDir,
    now: new Date(),
  });
  const urls = await storeUpload(addresses.api, upload);
  const { ticket } = await createTicket(bench.rest, upload, urls);
  const watching = new AbortController();
  const sbuild = watchSbuild(bench.pidOf('stand-in'), {
    limitMs: BUILD_LIMIT_MS,
    signal: AbortSignal.any([signal, watching.signal]),
  });
  sbuild.catch(() => undefined);
  try {
    const build = await requestBuild(bench, {
      ticketId: ticket.id,
      urls,
      ppa,
      series,
      limitMs: BUILD_LIMIT_MS,
    });
    const { startedAtMs, endedAtMs } = await sbuild;
    // Not before the publisher is done, which would run into the next build.
    const publication = await publishedSource(addresses.launchpadUrl, ppa, upload, {
      limitMs: PUBLICATION_LIMIT_MS,
      signal,
    });
    const record = await buildRecordTimes(publication);
    const segments = buildTimeline(build.steps, {
      postedAtMs: build.postedAtMs,
      recordCreatedAtMs: record.createdAtMs,
      sbuildStartedAtMs: startedAtMs,
      sbuildEndedAtMs: endedAtMs,
      recordEndedAtMs: await recordEndedAtMs(join(logDir, 'stand-in.log'), upload.version),
      receivedAtMs: build.receivedAtMs,
    });
    return {
      totalMs: build.receivedAtMs - build.postedAtMs,
      sbuildMs: endedAtMs - startedAtMs,
      overheadMs: overheadMs(segments),
      buildRecordMs: record.builtAtMs - record.startedAtMs,
      segments,
    };
  } finally {
    watching.abort(new Error('the build has ended'));
  }
}

/** When the stand-in brought a build record to its end, which its web service does not tell; its log does. */
async function recordEndedAtMs(logFile: string, version: string): Promise<number> {
  const line = (await readFile(logFile, 'utf8'))
    .split('\n')
    .findLast((text) => text.includes('"build ended"') && text.includes(`"${version}"`));
  if (line === undefined) throw new Error(`The stand-in's log has no end of ${version}.`);
  return (JSON.parse(line) as { time: number }).time;
}

function medianRun(runs: readonly OverheadRun[]): OverheadRun {
  const of = (value: (run: OverheadRun) => number) => median(runs.map(value));
  return {
    totalMs: of((run) => run.totalMs),
    sbuildMs: of((run) => run.sbuildMs),
    overheadMs: of((run) => run.overheadMs),
    buildRecordMs: of((run) => run.buildRecordMs),
    segments: (runs[0]?.segments ?? []).map(({ name }, at) => ({
      name,
      durationMs: of((run) => run.segments[at]?.durationMs ?? Number.NaN),
    })),
  };
}

function describe({ totalMs, sbuildMs, overheadMs }: OverheadRun): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  return `${seconds(totalMs)} in all, ${seconds(sbuildMs)} in sbuild, overhead ${seconds(overheadMs)}`;
}
