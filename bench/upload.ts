import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import { runCommand } from '../main/demo/run-command.ts';
import type { SignedUpload } from '../main/demo/new-version.ts';
import { uploadDirectory } from '../ppa/upload.ts';
import { makeSigningKey, type SigningKey } from '../test/support/source-package.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { makeLargeSource, sizeOf } from './large-source.ts';
import { publishedSource } from './ppa-records.ts';
import { watchMemory, type MemoryGrowth } from './process-memory.ts';
import { requestBuild } from './request-build.ts';
import { median } from './statistics.ts';
import { lastStep } from './workflow-steps.ts';

const MIBIBYTE = 2 ** 20;
const ROUND_LIMIT_MS = 20 * 60_000;
const PARTS = ['worker', 'api', 'stand-in'] as const;

/** The same files to the same FTP server, once by curl and once by the system. */
export type UploadRound = {
  first: 'curl' | 'airline';
  curlMs: number;
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
  /** Of the medians. */
  ratio: number;
  /** Most of all rounds. */
  workerGrowthBytes: number;
  apiGrowthBytes: number;
  /** Growth of the API while it took the files into the data store. */
  apiStoreGrowthBytes: number;
};

/**
 * Measures the upload of a source package with a large upstream tarball against `curl -T` in the same run, round by
 * round, and the memory that the processes of the system take for it. The PPA builds by script, so that nothing else
 * runs. curl sends the files in one session, as the system does; every round has two PPAs of its own.
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
        const source = await prepare(bench, { tarballBytes, key, signal, say });
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
          ratio: airlineBytesPerSecond / curlBytesPerSecond,
          workerGrowthBytes: most('worker'),
          apiGrowthBytes: most('api'),
          apiStoreGrowthBytes,
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

async function prepare(
  bench: BenchStack,
  {
    tarballBytes,
    key,
    signal,
    say,
  }: {
    tarballBytes: number;
    key: SigningKey;
    signal: AbortSignal;
    say: (line: string) => void;
  },
): Promise<PreparedSource> {
  const { distribution, series } = await machineSeries();
  await mkdir(bench.keysDir, { recursive: true });
  await writeFile(join(bench.keysDir, 'bench.asc'), key.publicKey);
  const upload = await makeLargeSource({
    directory: join(bench.scratchDir, 'source'),
    tarballBytes,
    series,
    key,
  });
  signal.throwIfAborted();
  const sizeBytes = await sizeOf(upload);
  say(`source package of ${(sizeBytes / MIBIBYTE).toFixed(0)} MiB made and signed`);
  const apiGrowth = watchMemory(bench.pidOf('api'));
  const urls = await storeUpload(bench.stack.addresses.api, upload);
  const { growthBytes: apiStoreGrowthBytes } = apiGrowth();
  say('put into the data store');
  const { ticket } = await createTicket(bench.rest, upload, urls);
  return {
    upload,
    urls,
    ticketId: ticket.id,
    series,
    distribution,
    sizeBytes,
    apiStoreGrowthBytes,
  };
}

async function measureRound(
  bench: BenchStack,
  source: PreparedSource,
  number: number,
  signal: AbortSignal,
): Promise<UploadRound> {
  const { addresses } = bench.stack;
  const ppaOf = (name: string) => ({
    owner: 'airline',
    distribution: source.distribution,
    name: `${name}-${number}`,
  });
  const untilCalm = async (name: string) => {
    await publishedSource(addresses.launchpadUrl, ppaOf(name), source.upload, {
      limitMs: ROUND_LIMIT_MS,
      signal,
    });
    // What one upload has left to be written must not slow the next one down.
    await runCommand('sync', [], { cwd: '/' });
  };
  let curlMs = 0;
  let airlineMs = 0;
  let growths: (readonly [(typeof PARTS)[number], MemoryGrowth])[] = [];
  const byCurl = async () => {
    const directory = uploadDirectory(ppaOf('curl'), source.series);
    curlMs = await curl(
      source.upload,
      `ftp://${addresses.uploadHost}/${directory}/`,
      AbortSignal.any([signal, AbortSignal.timeout(ROUND_LIMIT_MS)]),
    );
    await untilCalm('curl');
  };
  const byAirline = async () => {
    const watches = PARTS.map((part) => [part, watchMemory(bench.pidOf(part))] as const);
    const { steps } = await requestBuild(bench, {
      ticketId: source.ticketId,
      urls: source.urls,
      ppa: ppaOf('airline'),
      series: source.series,
      limitMs: ROUND_LIMIT_MS,
    });
    growths = watches.map(([part, growth]) => [part, growth()] as const);
    const step = lastStep(steps, 'uploadSource');
    if (step.attempt !== 1) throw new Error(`The upload took ${step.attempt} tries.`);
    airlineMs = step.completedAtMs - step.startedAtMs;
    await untilCalm('airline');
  };
  const isCurlFirst = number % 2 === 1;
  for (const one of isCurlFirst ? [byCurl, byAirline] : [byAirline, byCurl]) await one();
  return {
    first: isCurlFirst ? 'curl' : 'airline',
    curlMs,
    airlineMs,
    ratio: curlMs / airlineMs,
    memory: Object.fromEntries(growths) as UploadRound['memory'],
  };
}

/** Uploads files with `curl -T` in one session. @returns how long the process ran, in milliseconds */
function curl({ directory, files }: SignedUpload, url: string, signal: AbortSignal) {
  return new Promise<number>((resolve, reject) => {
    const startedAtMs = performance.now();
    const child = spawn(
      'curl',
      ['--disable', '--silent', '--show-error', '-T', `{${files.join(',')}}`, url],
      { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'], signal },
    );
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - startedAtMs);
      else reject(new Error(`curl ended with ${code}: ${complaint}`));
    });
  });
}

function describe({ curlMs, airlineMs, ratio, memory }: UploadRound, sizeBytes: number): string {
  const rate = (ms: number) => `${((sizeBytes / MIBIBYTE / ms) * 1_000).toFixed(0)} MiB/s`;
  const growth = PARTS.map(
    (part) => `${part} ${(memory[part].growthBytes / MIBIBYTE).toFixed(0)} MiB`,
  );
  return `curl ${rate(curlMs)}, airline ${rate(airlineMs)}, ratio ${ratio.toFixed(2)}; growth: ${growth.join(', ')}`;
}
