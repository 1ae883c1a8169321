import pino from 'pino';
import { ppaReference, type Ppa } from '../domain/packages/ppa.ts';
import { consumeProgress } from '../main/demo/lander.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import type { SignedUpload } from '../main/demo/sign-upload.ts';
import { runCommand } from '../main/demo/run-command.ts';
import { waitUntil } from '../main/embedded/wait-until.ts';
import { createPpaClient, type PpaClient } from '../ppa/client.ts';
import { uploadDirectory } from '../ppa/upload.ts';
import { makeSigningKey } from '../test/support/signing-key.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { readHistories } from './build-histories.ts';
import { watchMemory } from './process-memory.ts';
import { atLeast, atMost, type Result } from './report.ts';
import { listRounds, RATE, runRounds, shareOf, summariseRounds, type Sample } from './rounds.ts';
import { storeSource, type StoredSource } from './stored-source.ts';

const MIBIBYTE = 2 ** 20;
const OWNER = 'airline';
/** Least throughput, as a share of curl's; and most growth of the worker. */
const MIN_RATIO = 0.8;
const MAX_GROWTH_MIB = 64;
const ROUND_LIMIT_MS = 20 * 60_000;
const SMALL_BYTES = 4_096;
const GROWTH = 'growth of the worker, MiB';

type Setting = {
  bench: BenchStack;
  ppaClient: PpaClient;
  distribution: string;
  series: string;
  signal: AbortSignal;
};

/**
 * Measures the upload of a source package with a large upstream tarball against `curl -T` in the same run, and the
 * memory that the worker takes for it. The PPA builds by script, so that nothing else runs. curl sends the files in one
 * session, as the system does; every round has two PPAs of its own. Before the rounds, the worker builds a small
 * package, so that what any first build costs does not count as the large file's.
 */
export async function measureUpload(options: {
  rounds: number;
  tarballBytes: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
  const { tarballBytes, signal, say } = options;
  const key = await makeSigningKey('Airline Bench', 'bench@airline.example');
  // The source, the store's copy, and two in the PPAs for each round.
  const neededBytes = tarballBytes * (2 + 2 * options.rounds) + 4 * 2 ** 30;
  return withBenchStack({ script: {}, neededBytes, signal }, async (bench) => {
    const { distribution, series } = await machineSeries();
    const ppaClient = createPpaClient({
      rootUrl: bench.stack.addresses.launchpadUrl,
      credentials: undefined,
      timeoutMs: 10_000,
      logger: pino({ level: 'silent' }),
    });
    const setting = { bench, ppaClient, distribution, series, signal };
    const makeSource = (name: string, upstreamBytes: number) =>
      storeSource(bench, { name, upstreamBytes, series, key });
    const small = await makeSource('airline-small', SMALL_BYTES);
    const first = await uploadByAirline(setting, small, 'first');
    say(`first build, of a small package: the worker grew by ${first[GROWTH].toFixed(0)} MiB`);
    signal.throwIfAborted();
    const source = await makeSource('airline-large', tarballBytes);
    const size = source.sizeBytes / MIBIBYTE;
    say(`source package of ${size.toFixed(0)} MiB made, signed and stored`);
    const rounds = await runRounds(
      [
        async (round) => ({ curl: await uploadByCurl(setting, source, `curl-${round}`) }),
        async (round) => ({
          Airline: await uploadByAirline(setting, source, `airline-${round}`),
        }),
      ],
      { ...options, what: 'MiB a second, ' },
    );
    const growth = (rounds.get('Airline') ?? []).map((sample) => sample[GROWTH] ?? Number.NaN);
    return {
      title: 'Upload of a source package beside curl',
      notes: [
        `${size.toFixed(0)} MiB in one FTP session to the same server over loopback, in MiB a second. curl reads the files from the disk; the system streams them from its data store, where it has checked them before. The system's time is that of the whole activity, curl's that of the transfers alone, without its log-in and its waits before a file. Memory is the growth over a whole build, from before to the peak; in its first build, of a small package, the worker grew by ${first[GROWTH].toFixed(0)} MiB.`,
      ],
      goals: [
        atLeast(
          "share of curl's throughput, median",
          shareOf(rounds, 'Airline', 'curl'),
          MIN_RATIO,
        ),
        atMost(`${GROWTH}, most`, Math.max(...growth), MAX_GROWTH_MIB),
      ],
      tables: [summariseRounds(rounds), listRounds(rounds)],
    };
  });
}

/** One build by the system in a PPA of its own: the rate of its upload, and the memory of all of it. */
async function uploadByAirline(
  setting: Setting,
  source: StoredSource,
  name: string,
): Promise<{ [RATE]: number; [GROWTH]: number }> {
  const { bench, distribution, series } = setting;
  const { addresses } = bench.stack;
  const ppa: Ppa = { owner: OWNER, distribution, name };
  const growth = watchMemory(bench.pidOf('worker'));
  const queue = `bench-${name}`;
  const messages = consumeProgress({
    amqpUrl: addresses.amqpUrl,
    queue,
    limitMs: ROUND_LIMIT_MS,
    onMessage: () => Promise.resolve(),
  });
  // It is awaited only after the POST, which may fail.
  messages.catch(() => undefined);
  const build = await bench.rest.post<{ workflow_id: string }>('/api/v1/build_source', {
    ticket_id: source.ticketId,
    cancel_url: null,
    source_packages: source.urls,
    series,
    ppa: ppaReference(ppa),
    archive: distribution,
    progress_trigger: queue,
  });
  const last = (await messages).at(-1);
  if (last?.message !== 'COMPLETE') throw new Error(`The build failed: ${last?.failure?.message}`);
  const { growthBytes } = growth();
  const [history] = await readHistories(addresses.temporalAddress, [
    { workflowId: build.workflow_id },
  ]);
  const upload = history?.steps.find((step) => step.name === 'uploadSource');
  if (!upload) throw new Error('The workflow has uploaded nothing.');
  if (upload.attempt !== 1) throw new Error(`The upload took ${upload.attempt} tries.`);
  await untilCalm(setting, ppa, source.upload);
  const tookMs = upload.completedAtMs - upload.startedAtMs;
  return { [RATE]: mebibytesPerSecond(source, tookMs), [GROWTH]: growthBytes / MIBIBYTE };
}

/**
 * Uploads files with `curl -T` in one session. Their time is that of the transfers alone, as curl counts them, without
 * its waits before each. Of those it has some of a second, by chance: curl 7.88 may miss the reply to EPSV until its
 * next look.
 */
async function uploadByCurl(setting: Setting, source: StoredSource, name: string): Promise<Sample> {
  const { bench, distribution, series } = setting;
  const { addresses } = bench.stack;
  const { files, directory } = source.upload;
  const ppa: Ppa = { owner: OWNER, distribution, name };
  // The system has just read its files, to check them: curl's are as close at hand.
  await runCommand('sha256sum', files, { cwd: directory });
  const output = await runCommand(
    'curl',
    [
      '--disable',
      '--silent',
      '--show-error',
      '--write-out',
      '%{time_pretransfer} %{time_total}\\n',
      '-T',
      `{${files.join(',')}}`,
      `ftp://${addresses.uploadHost}/${uploadDirectory(ppa, series)}/`,
    ],
    { cwd: directory, limitMs: ROUND_LIMIT_MS },
  );
  const transfers = output.trim().split('\n');
  if (transfers.length !== files.length)
    throw new Error(`curl has transferred ${transfers.length} of ${files.length} files.`);
  const seconds = transfers.map((line) => {
    const [before = Number.NaN, total = Number.NaN] = line.split(' ').map(Number);
    return total - before;
  });
  await untilCalm(setting, ppa, source.upload);
  const tookMs = seconds.reduce((sum, one) => sum + one, 0) * 1_000;
  return { [RATE]: mebibytesPerSecond(source, tookMs) };
}

/** Waits until the PPA has published a source, and is done with the upload then, and the disks have been written. */
async function untilCalm({ ppaClient, signal }: Setting, ppa: Ppa, upload: SignedUpload) {
  await waitUntil(
    `the publication of ${upload.source}`,
    async () => (await ppaClient.getPublishedSources(ppa, upload))[0]?.status === 'Published',
    { timeoutMs: ROUND_LIMIT_MS, intervalMs: 250, signal },
  );
  // What one upload has left to be written must not slow the next one down.
  await runCommand('sync', [], { cwd: '/' });
}

function mebibytesPerSecond({ sizeBytes }: StoredSource, tookMs: number): number {
  return (sizeBytes / MIBIBYTE / tookMs) * 1_000;
}
