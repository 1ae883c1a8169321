import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import { runCommand } from '../main/demo/run-command.ts';
import type { SignedUpload } from '../main/demo/new-version.ts';
import type { Ppa } from '../domain/ppa.ts';
import { uploadDirectory } from '../ppa/upload.ts';
import { makeSigningKey, type SigningKey } from '../test/support/source-package.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { makeLargeSource, sizeOf } from './large-source.ts';
import { publishedSource } from './ppa-records.ts';
import { watchMemory, type MemoryGrowth } from './process-memory.ts';
import { requestBuild } from './request-build.ts';
import { median } from './statistics.ts';
import { lastStep } from './workflow-steps.ts';

const execute = promisify(execFile);
const MIBIBYTE = 2 ** 20;
const OWNER = 'airline';
const ROUND_LIMIT_MS = 20 * 60_000;
const PARTS = ['worker', 'api', 'stand-in'] as const;

/** The same files to the same FTP server, once by curl and once by the system. */
export type UploadRound = {
  first: 'curl' | 'airline';
  /** The transfers alone. */
  curlMs: number;
  /** The whole process. */
  curlProcessMs: number;
  /** The whole activity, from its start to its end, as the workflow's history has them. */
  airlineMs: number;
  /** The system's throughput by curl's. */
  ratio: number;
  /** Growth during the whole build: the sources are fetched and checked, then uploaded. */
  memory: Record<(typeof PARTS)[number], MemoryGrowth>;
};

export type UploadMeasurement = {
  sizeBytes: number;
  rounds: UploadRound[];
  curlBytesPerSecond: number;
  airlineBytesPerSecond: number;
  /** Median of the rounds' own: the disk's speed changes from round to round, but hardly within one. */
  ratio: number;
  /** Most of all rounds. */
  workerGrowthBytes: number;
  apiGrowthBytes: number;
  /** Growth of the API while it took the files into the data store. */
  apiStoreGrowthBytes: number;
  /** Growth of the worker in its first build, of a source package that is next to nothing. */
  firstBuildGrowthBytes: number;
};

/**
 * Measures the upload of a source package with a large upstream tarball against `curl -T` in the same run, round by
 * round, with either first in turn, and the memory that the processes of the system take for it. The PPA builds by script, so that nothing else
 * runs. curl sends the files in one session, as the system does; every round has two PPAs of its own. Before the
 * rounds, the worker builds a small package, so that what any first build costs does not count as the large file's.
 */
export async function measureUpload(options: {
  rounds: number;
  tarballBytes: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<UploadMeasurement> {
  const { rounds: roundCount, tarballBytes, signal, say } = options;
  const key = await makeSigningKey('Airline Bench <bench@airline.example>');
  try {
    return await withBenchStack(
      {
        script: {},
        // The source, the store's copy, and two in the PPAs for each round.
        neededBytes: tarballBytes * (2 + 2 * roundCount) + 4 * 2 ** 30,
        signal,
      },
      async (bench) => {
        const { distribution, series } = await machineSeries();
        const maker = { bench, distribution, series, key };
        const small = await prepare({ ...maker, name: 'airline-small', tarballBytes: 4_096 });
        const first = await measureAirline(bench, small, 'first');
        const firstBuildGrowthBytes = first.memory.worker.growthBytes;
        say(
          `first build, of a small package: the worker grew by ${mebibytes(firstBuildGrowthBytes)} MiB`,
        );
        signal.throwIfAborted();
        const source = await prepare({ ...maker, name: 'airline-large', tarballBytes });
        say(`source package of ${mebibytes(source.sizeBytes)} MiB made, signed and stored`);
        const rounds: UploadRound[] = [];
        for (let number = 1; number <= roundCount; number++) {
          const round = await measureRound(bench, source, number, signal);
          rounds.push(round);
          say(`round ${number} of ${roundCount}: ${describe(round, source.sizeBytes)}`);
        }
        const { sizeBytes, apiStoreGrowthBytes } = source;
        const rate = (ms: (round: UploadRound) => number) =>
          (sizeBytes / median(rounds.map(ms))) * 1_000;
        const curlBytesPerSecond = rate(({ curlMs }) => curlMs);
        const airlineBytesPerSecond = rate(({ airlineMs }) => airlineMs);
        const most = (part: (typeof PARTS)[number]) =>
          Math.max(...rounds.map(({ memory }) => memory[part].growthBytes));
        return {
          sizeBytes,
          rounds,
          curlBytesPerSecond,
          airlineBytesPerSecond,
          ratio: median(rounds.map(({ ratio }) => ratio)),
          workerGrowthBytes: most('worker'),
          apiGrowthBytes: most('api'),
          apiStoreGrowthBytes,
          firstBuildGrowthBytes,
        };
      },
    );
  } finally {
    await key.remove();
  }
}

type PreparedSource = {
  upload: SignedUpload;
  urls: string[];
  ticketId: number;
  series: string;
  distribution: string;
  sizeBytes: number;
  apiStoreGrowthBytes: number;
};

async function prepare(options: {
  bench: BenchStack;
  name: string;
  tarballBytes: number;
  distribution: string;
  series: string;
  key: SigningKey;
}): Promise<PreparedSource> {
  const { bench, name, tarballBytes, distribution, series, key } = options;
  await mkdir(bench.keysDir, { recursive: true });
  await writeFile(join(bench.keysDir, 'bench.asc'), key.publicKey);
  const upload = await makeLargeSource({
    directory: join(bench.scratchDir, name),
    name,
    tarballBytes,
    series,
    key,
  });
  const apiGrowth = watchMemory(bench.pidOf('api'));
  const urls = await storeUpload(bench.stack.addresses.api, upload);
  const { growthBytes: apiStoreGrowthBytes } = apiGrowth();
  const { ticket } = await createTicket(bench.rest, upload, urls);
  return {
    upload,
    urls,
    ticketId: ticket.id,
    series,
    distribution,
    sizeBytes: await sizeOf(upload),
    apiStoreGrowthBytes,
  };
}

/** One build by the system in a PPA of its own: the time of its upload, and the memory of all of it. */
async function measureAirline(
  bench: BenchStack,
  source: PreparedSource,
  ppaName: string,
): Promise<{ uploadMs: number; memory: UploadRound['memory'] }> {
  const watches = PARTS.map((part) => [part, watchMemory(bench.pidOf(part))] as const);
  const { steps } = await requestBuild(bench, {
    ticketId: source.ticketId,
    urls: source.urls,
    ppa: { owner: OWNER, distribution: source.distribution, name: ppaName },
    series: source.series,
    limitMs: ROUND_LIMIT_MS,
  });
  const memory = Object.fromEntries(
    watches.map(([part, growth]) => [part, growth()] as const),
  ) as UploadRound['memory'];
  const step = lastStep(steps, 'uploadSource');
  if (step.attempt !== 1) throw new Error(`The upload took ${step.attempt} tries.`);
  return { uploadMs: step.completedAtMs - step.startedAtMs, memory };
}

async function measureRound(
  bench: BenchStack,
  source: PreparedSource,
  number: number,
  signal: AbortSignal,
): Promise<UploadRound> {
  const { addresses } = bench.stack;
  const untilCalm = async (ppa: Ppa) => {
    await publishedSource(addresses.launchpadUrl, ppa, source.upload, {
      limitMs: ROUND_LIMIT_MS,
      signal,
    });
    // What one upload has left to be written must not slow the next one down.
    await runCommand('sync', [], { cwd: '/' });
  };
  const ppaOf = (name: string): Ppa => ({ owner: OWNER, distribution: source.distribution, name });
  const byCurl = async () => {
    const ppa = ppaOf(`curl-${number}`);
    // The system has just read its files, to check them: curl's are as close at hand.
    await runCommand('sha256sum', source.upload.files, { cwd: source.upload.directory });
    const curled = await curl(
      source.upload,
      `ftp://${addresses.uploadHost}/${uploadDirectory(ppa, source.series)}/`,
      AbortSignal.any([signal, AbortSignal.timeout(ROUND_LIMIT_MS)]),
    );
    await untilCalm(ppa);
    return curled;
  };
  const byAirline = async () => {
    const ppa = ppaOf(`airline-${number}`);
    const measured = await measureAirline(bench, source, ppa.name);
    await untilCalm(ppa);
    return measured;
  };
  const isCurlFirst = number % 2 === 1;
  const early = isCurlFirst ? await byCurl() : undefined;
  const { uploadMs: airlineMs, memory } = await byAirline();
  const { transferMs: curlMs, processMs: curlProcessMs } = early ?? (await byCurl());
  return {
    first: isCurlFirst ? 'curl' : 'airline',
    curlMs,
    curlProcessMs,
    airlineMs,
    ratio: curlMs / airlineMs,
    memory,
  };
}

/**
 * Uploads files with `curl -T` in one session.
 *
 * @returns in milliseconds: how long the process ran, and the transfers alone as curl counts them, without its waits
 * before each. Of those it has some of a second, by chance: curl 7.88 may miss the reply to EPSV until its next look.
 */
async function curl(
  { directory, files }: SignedUpload,
  url: string,
  signal: AbortSignal,
): Promise<{ processMs: number; transferMs: number }> {
  const startedAtMs = performance.now();
  const { stdout } = await execute(
    'curl',
    [
      '--disable',
      '--silent',
      '--show-error',
      '--write-out',
      '%{time_pretransfer} %{time_total}\\n',
      '-T',
      `{${files.join(',')}}`,
      url,
    ],
    { cwd: directory, signal },
  );
  const processMs = performance.now() - startedAtMs;
  const transfers = stdout.trim().split('\n');
  if (transfers.length !== files.length)
    throw new Error(`curl has transferred ${transfers.length} of ${files.length} files.`);
  const seconds = transfers.map((line) => {
    const [beforeS, totalS] = line.split(' ').map(Number);
    return (totalS ?? Number.NaN) - (beforeS ?? Number.NaN);
  });
  return { processMs, transferMs: seconds.reduce((sum, one) => sum + one, 0) * 1_000 };
}

function describe({ curlMs, airlineMs, ratio, memory }: UploadRound, sizeBytes: number): string {
  const rate = (ms: number) => `${((sizeBytes / MIBIBYTE / ms) * 1_000).toFixed(0)} MiB/s`;
  const growth = PARTS.map((part) => `${part} ${mebibytes(memory[part].growthBytes)} MiB`);
  return `curl ${rate(curlMs)}, airline ${rate(airlineMs)}, ratio ${ratio.toFixed(2)}; growth: ${growth.join(', ')}`;
}

function mebibytes(bytes: number): string {
  return (bytes / MIBIBYTE).toFixed(0);
}
