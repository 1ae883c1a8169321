import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  BUILD_TASK_QUEUE,
  buildWorkflowId,
  type BuildSourceInput,
} from '../../domain/build-workflow.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { quantile } from '../api/load.ts';
import { withBenchStack, type BenchStack } from '../bench-stack.ts';
import { postBuilds } from './build-posts.ts';
import { openBuildRows, type BuildRows } from './build-rows.ts';
import { openDispatchLayers, type DispatchLayers } from './dispatch-layers.ts';
import { watchCpu, type CoresUsed } from './process-load.ts';
import { openRawStarts, type RawStarts, type Throughput } from './raw-starts.ts';

export const CONNECTIONS = 20;
const WARM_UP = 50;
const NEEDED_BYTES = 8 * 2 ** 30;
const DISPATCH_LIMIT_MS = 600_000;
const COUNT_LIMIT_MS = 120_000;
const LOOK_MS = 50;

/** One round: raw starts and POSTs of the same number of builds, either first in turn, then the dispatcher's parts. */
export type AcceptRound = {
  first: 'raw' | 'airline';
  raw: Throughput & { cores: CoresUsed };
  accepted: Throughput;
  /** From the first POST until the last of these builds has its workflow. */
  startedPerSecond: number;
  /** Builds that had none yet when the last POST was answered. */
  backlog: number;
  /** Until the last build has its workflow. */
  cores: CoresUsed;
  layers: DispatchLayers;
};

export type AcceptMeasurement = { perRound: number; inputBytes: number; rounds: AcceptRound[] };

/**
 * Measures POST build_source beside Temporal's own client, on the same server and namespace, with the same input and
 * no worker. What was posted counts as started when its workflow is there.
 */
export function measureAccept(options: {
  rounds: number;
  perRound: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<AcceptMeasurement> {
  const { signal, say, perRound } = options;
  const setting = { only: ['api'] as const, neededBytes: NEEDED_BYTES, signal };
  return withBenchStack(setting, async (bench) => {
    const { addresses } = bench.stack;
    const namespace = 'default';
    const connection = await Connection.connect({ address: addresses.temporalAddress });
    const temporal = new Client({ connection, namespace });
    const rows = await openBuildRows(addresses.databaseUrl, (row) =>
      buildWorkflowId({ ...row, buildId: row.id, attempt: 1 }),
    );
    const body = await requestBody(bench);
    const input = await inputOfOne(bench, temporal, rows, body);
    const raw = await openRawStarts(addresses.temporalAddress, CONNECTIONS, input);
    const layers = await openDispatchLayers({
      databaseUrl: addresses.databaseUrl,
      temporalAddress: addresses.temporalAddress,
      namespace,
      input,
    });
    const measurer = { bench, rows, raw, body, signal };
    try {
      await raw.start(WARM_UP);
      await measurePosts(measurer, WARM_UP);
      await layers.measure(WARM_UP);
      const rounds: AcceptRound[] = [];
      for (let number = 1; number <= options.rounds; number++) {
        const isRawFirst = number % 2 === 1;
        const early = isRawFirst ? await measureRaw(measurer, perRound) : undefined;
        const posted = await measurePosts(measurer, perRound);
        const round: AcceptRound = {
          first: isRawFirst ? 'raw' : 'airline',
          raw: early ?? (await measureRaw(measurer, perRound)),
          ...posted,
          layers: await layers.measure(perRound),
        };
        rounds.push(round);
        say(`round ${number} of ${options.rounds}: ${describe(round)}`);
      }
      await requireWorkflows(temporal, await rows.lastId());
      return { perRound, inputBytes: JSON.stringify(input).length, rounds };
    } finally {
      await layers.close();
      await raw.close();
      await rows.close();
      await connection.close();
    }
  });
}

type Measurer = {
  bench: BenchStack;
  rows: BuildRows;
  raw: RawStarts;
  body: object;
  signal: AbortSignal;
};

async function measureRaw({ bench, raw }: Measurer, count: number): Promise<AcceptRound['raw']> {
  const cores = watchCpu(roots(bench));
  const { tookMs, latenciesMs } = await raw.start(count);
  return { ...throughput(count, tookMs, latenciesMs), cores: cores() };
}

async function measurePosts(
  { bench, rows, body, signal }: Measurer,
  count: number,
): Promise<Pick<AcceptRound, 'accepted' | 'startedPerSecond' | 'backlog' | 'cores'>> {
  const before = await rows.lastId();
  const cores = watchCpu(roots(bench));
  const startedAtMs = Date.now();
  const { tookMs, latenciesMs } = await postBuilds({
    api: bench.stack.addresses.api,
    body,
    count,
    connections: CONNECTIONS,
    signal,
  });
  const { waiting: backlog } = await rows.dispatchedAfter(before);
  let lastAtMs = Number.NaN;
  await waitUntil(
    'the start of every workflow',
    async () => {
      const dispatched = await rows.dispatchedAfter(before);
      lastAtMs = dispatched.lastAtMs;
      return dispatched.waiting === 0;
    },
    { timeoutMs: DISPATCH_LIMIT_MS, intervalMs: LOOK_MS, signal },
  );
  return {
    accepted: throughput(count, tookMs, latenciesMs),
    startedPerSecond: (count / (lastAtMs - startedAtMs)) * 1_000,
    backlog,
    cores: cores(),
  };
}

/** Every row has its workflow: what the rows say is what Temporal has. */
async function requireWorkflows(temporal: Client, builds: number): Promise<void> {
  let found = 0;
  await waitUntil(
    `a workflow in Temporal for each of ${builds} builds`,
    async () => {
      ({ count: found } = await temporal.workflow.count(`TaskQueue = '${BUILD_TASK_QUEUE}'`));
      if (found !== builds) throw new Error(`${found} are there`);
      return true;
    },
    { timeoutMs: COUNT_LIMIT_MS, intervalMs: 1_000 },
  );
}

async function requestBody({ rest, stack }: BenchStack): Promise<object> {
  const ticket = await rest.post<{ id: number }>('/api/v1/ticket/', {
    owner: 'bench@airline.example',
    title: 'Accepted builds',
  });
  const stem = 'airline-scale_1.0-1';
  return {
    ticket_id: ticket.id,
    cancel_url: null,
    // Nobody fetches them: no worker runs.
    source_packages: [
      `${stem}.dsc`,
      'airline-scale_1.0.orig.tar.gz',
      `${stem}.debian.tar.xz`,
      `${stem}_source.changes`,
    ].map((name) => `${stack.addresses.api}/store/uploads/${stem}/${name}`),
    series: 'bookworm',
    ppa: '~airline/debian/accept',
    archive: 'debian',
    progress_trigger: 'bench-accept',
  };
}

/** Posts one build, and reads from its history what the API starts a workflow with. */
async function inputOfOne(
  { rest }: BenchStack,
  temporal: Client,
  rows: BuildRows,
  body: object,
): Promise<BuildSourceInput> {
  const build = await rest.post<{ workflow_id: string }>('/api/v1/build_source', body);
  await waitUntil('the first workflow', async () => (await rows.dispatchedAfter(0)).waiting === 0, {
    timeoutMs: COUNT_LIMIT_MS,
  });
  const { events } = await temporal.workflow.getHandle(build.workflow_id).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (!payload) throw new Error('The first workflow has no input.');
  return defaultPayloadConverter.fromPayload(payload);
}

function roots({ pidOf }: BenchStack) {
  return {
    api: pidOf('api'),
    temporal: pidOf('temporal'),
    postgresql: pidOf('postgresql'),
    'this process': process.pid,
  };
}

function throughput(count: number, tookMs: number, latenciesMs: readonly number[]): Throughput {
  const sorted = Float64Array.from(latenciesMs).toSorted();
  return {
    perSecond: (count / tookMs) * 1_000,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}

function describe({ raw, accepted, startedPerSecond, backlog, layers }: AcceptRound): string {
  const rate = (perSecond: number) => `${perSecond.toFixed(0)}/s`;
  return [
    `raw ${rate(raw.perSecond)}`,
    `POST ${rate(accepted.perSecond)}`,
    `started ${rate(startedPerSecond)} (backlog ${backlog})`,
    `rows ${rate(layers.rowsPerSecond)}`,
    `starts ${rate(layers.startsPerSecond)}`,
    `backlog ${rate(layers.backlogPerSecond)}`,
  ].join(', ');
}
