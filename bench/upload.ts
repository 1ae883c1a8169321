import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import { runCommand } from '../main/demo/run-command.ts';
import type { SignedUpload } from '../main/demo/new-version.ts';
import { consumeProgress } from '../main/demo/lander.ts';
import { ppaReference, type Ppa } from '../domain/ppa.ts';
import { waitUntil } from '../main/embedded/wait-until.ts';
import { uploadDirectory } from '../ppa/upload.ts';
import { makeSigningKey, type SigningKey } from '../test/support/source-package.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { makeLargeSource, sizeOf } from './large-source.ts';
import { watchMemory, type MemoryGrowth } from './process-memory.ts';
import { readHistories } from './builds/read-histories.ts';
import { atLeast, atMost, type Result } from './report.ts';
import { median } from './statistics.ts';
import { lastStep, workflowSteps } from './workflow-steps.ts';

const execute = promisify(execFile);
const MIBIBYTE = 2 ** 20;
const OWNER = 'airline';
/** Least throughput, as a share of curl's; and most growth of the worker. */
const MIN_RATIO = 0.8;
const MAX_GROWTH_MIB = 64;
const ROUND_LIMIT_MS = 20 * 60_000;
const PARTS = ['worker', 'api', 'stand-in'] as const;

/** The same files to the same FTP server, once by curl and once by the system. */
type UploadRound = {
  first: 'curl' | 'airline';
  /** The transfers alone. */
  curlMs: number;
  /** The whole activity, from its start to its end, as the workflow's history has them. */
  airlineMs: number;
  /** The system's throughput by curl's. */
  ratio: number;
  /** Growth during the whole build: the sources are fetched and checked, then uploaded. */
  memory: Record<(typeof PARTS)[number], MemoryGrowth>;
};

/**
 * Measures the upload of a source package with a large upstream tarball against `curl -T` in the same run, round by
 * round, with either first in turn, and the memory that the processes of the system take for it. The PPA builds by
 * script, so that nothing else runs. curl sends the files in one session, as the system does; every round has two PPAs of its own. Before the
 * rounds, the worker builds a small package, so that what any first build costs does not count as the large file's.
 */
export async function measureUpload(options: {
  rounds: number;
  tarballBytes: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
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
        return uploadResult(rounds, source, firstBuildGrowthBytes);
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
  const workflowId = await completeBuild(bench, source, ppaName);
  const memory = Object.fromEntries(
    watches.map(([part, growth]) => [part, growth()] as const),
  ) as UploadRound['memory'];
  const { temporalAddress } = bench.stack.addresses;
  const [step] = await readHistories(temporalAddress, [{ workflowId }], (history) =>
    lastStep(workflowSteps(history), 'uploadSource'),
  );
  if (!step) throw new Error('The workflow has no history.');
  if (step.attempt !== 1) throw new Error(`The upload took ${step.attempt} tries.`);
  return { uploadMs: step.completedAtMs - step.startedAtMs, memory };
}

/** Requests a build and waits for its final message, as the lander does. @returns its workflow's id */
async function completeBuild(
  { stack, rest }: BenchStack,
  { ticketId, urls, series, distribution }: PreparedSource,
  ppaName: string,
): Promise<string> {
  const queue = `bench-${ppaName}`;
  const messages = consumeProgress({
    amqpUrl: stack.addresses.amqpUrl,
    queue,
    limitMs: ROUND_LIMIT_MS,
    onMessage: () => Promise.resolve(),
  });
  // It is awaited only after the POST, which may fail.
  messages.catch(() => undefined);
  const build = await rest.post<{ workflow_id: string }>('/api/v1/build_source', {
    ticket_id: ticketId,
    cancel_url: null,
    source_packages: urls,
    series,
    ppa: ppaReference({ owner: OWNER, distribution, name: ppaName }),
    archive: distribution,
    progress_trigger: queue,
  });
  const last = (await messages).at(-1);
  if (last?.message !== 'COMPLETE') throw new Error(`The build failed: ${last?.failure?.message}`);
  return build.workflow_id;
}

/** Waits until the PPA has published a source: it is done with the upload then. */
async function untilPublished(
  launchpadUrl: string,
  ppa: Ppa,
  { source, version }: SignedUpload,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({
    'ws.op': 'getPublishedSources',
    source_name: JSON.stringify(source),
    version: JSON.stringify(version),
    exact_match: 'true',
  });
  const url = `${launchpadUrl}/devel/~${ppa.owner}/+archive/${ppa.distribution}/${ppa.name}?${query.toString()}`;
  await waitUntil(
    `the publication of ${source}`,
    async () => {
      const response = await fetch(url, { signal });
      if (!response.ok) throw new Error(`GET ${url}: ${response.status}`);
      const { entries } = (await response.json()) as { entries: { status: string }[] };
      return entries[0]?.status === 'Published';
    },
    { timeoutMs: ROUND_LIMIT_MS, intervalMs: 250, signal },
  );
}

async function measureRound(
  bench: BenchStack,
  source: PreparedSource,
  number: number,
  signal: AbortSignal,
): Promise<UploadRound> {
  const { addresses } = bench.stack;
  const untilCalm = async (ppa: Ppa) => {
    await untilPublished(addresses.launchpadUrl, ppa, source.upload, signal);
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
  const curlMs = early ?? (await byCurl());
  return {
    first: isCurlFirst ? 'curl' : 'airline',
    curlMs,
    airlineMs,
    ratio: curlMs / airlineMs,
    memory,
  };
}

/**
 * Uploads files with `curl -T` in one session.
 *
 * @returns the transfers alone, in milliseconds, as curl counts them, without its waits before each. Of those it has
 * some of a second, by chance: curl 7.88 may miss the reply to EPSV until its next look.
 */
async function curl(
  { directory, files }: SignedUpload,
  url: string,
  signal: AbortSignal,
): Promise<number> {
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
  const transfers = stdout.trim().split('\n');
  if (transfers.length !== files.length)
    throw new Error(`curl has transferred ${transfers.length} of ${files.length} files.`);
  const seconds = transfers.map((line) => {
    const [beforeS, totalS] = line.split(' ').map(Number);
    return (totalS ?? Number.NaN) - (beforeS ?? Number.NaN);
  });
  return seconds.reduce((sum, one) => sum + one, 0) * 1_000;
}

function uploadResult(
  rounds: readonly UploadRound[],
  { sizeBytes, apiStoreGrowthBytes }: PreparedSource,
  firstBuildGrowthBytes: number,
): Result {
  const size = sizeBytes / MIBIBYTE;
  const rate = (ms: number) => (size / ms) * 1_000;
  const growth = rounds.map(({ memory }) => memory.worker.growthBytes / MIBIBYTE);
  return {
    title: 'Upload of a source package beside curl',
    notes: [
      `${size.toFixed(0)} MiB in one FTP session to the same server over loopback. curl reads the files from the disk; the system streams them from its data store, where it has checked them before. The system's time is that of the whole activity, curl's that of the transfers alone, without its log-in and its waits before a file. Memory is the growth over a whole build, from before to the peak.`,
    ],
    goals: [
      atLeast(
        "share of curl's throughput, median",
        median(rounds.map(({ ratio }) => ratio)),
        MIN_RATIO,
      ),
      atMost('growth of the worker in MiB, most', Math.max(...growth), MAX_GROWTH_MIB),
    ],
    tables: [
      rounds.map(({ first, curlMs, airlineMs, ratio, memory }, at) => ({
        round: at + 1,
        first,
        'curl, MiB/s': rate(curlMs),
        'Airline, MiB/s': rate(airlineMs),
        'share of curl': ratio,
        ...Object.fromEntries(
          PARTS.map((part) => [`growth of ${part}, MiB`, memory[part].growthBytes / MIBIBYTE]),
        ),
      })),
      [
        {
          memory: 'growth of the worker in its first build, of a small package, MiB',
          measured: firstBuildGrowthBytes / MIBIBYTE,
        },
        {
          memory: 'growth of the API while it stored the files, MiB',
          measured: apiStoreGrowthBytes / MIBIBYTE,
        },
      ],
    ],
  };
}

function describe({ curlMs, airlineMs, ratio, memory }: UploadRound, sizeBytes: number): string {
  const rate = (ms: number) => `${((sizeBytes / MIBIBYTE / ms) * 1_000).toFixed(0)} MiB/s`;
  const growth = PARTS.map((part) => `${part} ${mebibytes(memory[part].growthBytes)} MiB`);
  return `curl ${rate(curlMs)}, airline ${rate(airlineMs)}, ratio ${ratio.toFixed(2)}; growth: ${growth.join(', ')}`;
}

function mebibytes(bytes: number): string {
  return (bytes / MIBIBYTE).toFixed(0);
}
