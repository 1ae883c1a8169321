import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  BUILD_TASK_QUEUE,
  buildWorkflowId,
  type BuildSourceInput,
} from '../../domain/build-workflow.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { withBenchStack, type BenchStack } from '../bench-stack.ts';
import { atLeast, type Result } from '../report.ts';
import { median } from '../statistics.ts';
import { postBuilds } from './build-posts.ts';
import { openBuildRows, type BuildRows } from './build-rows.ts';
import { spreadOf, type Spread } from './latency.ts';
import { openRawStarts, type RawStarts } from './raw-starts.ts';

const CONNECTIONS = 20;
const WARM_UP = 50;
const NEEDED_BYTES = 8 * 2 ** 30;
const DISPATCH_LIMIT_MS = 600_000;
const COUNT_LIMIT_MS = 120_000;
const POLL_MS = 50;
/** Least throughput, as a share of that of raw starts. */
const MIN_RATIO = 0.7;

type Throughput = Spread & { perSecond: number };

/** One round: raw starts and POSTs of the same number of builds, either first in turn. */
export type AcceptRound = {
  first: 'raw' | 'airline';
  raw: Throughput;
  accepted: Throughput;
  /** From the first POST until the last of these builds has its workflow. */
  startedPerSecond: number;
  /** Builds that had none yet when the last POST was answered. */
  backlog: number;
};

/**
 * Measures POST build_source beside Temporal's own client, on the same server and namespace, with the same input and
 * no worker. What was posted counts as started when its workflow is there.
 */
export function measureAccept(options: {
  rounds: number;
  perRound: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
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
    const measurer = { bench, rows, raw, body, signal };
    try {
      await raw.start(WARM_UP);
      await measurePosts(measurer, WARM_UP);
      const rounds: AcceptRound[] = [];
      for (let number = 1; number <= options.rounds; number++) {
        const isRawFirst = number % 2 === 1;
        const early = isRawFirst ? await measureRaw(measurer, perRound) : undefined;
        const posted = await measurePosts(measurer, perRound);
        const round: AcceptRound = {
          first: isRawFirst ? 'raw' : 'airline',
          raw: early ?? (await measureRaw(measurer, perRound)),
          ...posted,
        };
        rounds.push(round);
        say(`round ${number} of ${options.rounds}: ${describe(round)}`);
      }
      await requireWorkflows(temporal, await rows.lastId());
      return acceptResult(rounds, perRound);
    } finally {
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

async function measureRaw({ raw }: Measurer, count: number): Promise<Throughput> {
  const { tookMs, latenciesMs } = await raw.start(count);
  return throughput(count, tookMs, latenciesMs);
}

async function measurePosts(
  { bench, rows, body, signal }: Measurer,
  count: number,
): Promise<Pick<AcceptRound, 'accepted' | 'startedPerSecond' | 'backlog'>> {
  const before = await rows.lastId();
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
    { timeoutMs: DISPATCH_LIMIT_MS, intervalMs: POLL_MS, signal },
  );
  return {
    accepted: throughput(count, tookMs, latenciesMs),
    startedPerSecond: (count / (lastAtMs - startedAtMs)) * 1_000,
    backlog,
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

function throughput(count: number, tookMs: number, latenciesMs: readonly number[]): Throughput {
  return { perSecond: (count / tookMs) * 1_000, ...spreadOf(latenciesMs) };
}

/** Medians of the rounds; a share is the median of the rounds' own, so that what slows a round cancels out. */
export function acceptResult(rounds: readonly AcceptRound[], perRound: number): Result {
  const of = (value: (round: AcceptRound) => number) => median(rounds.map(value));
  const row = (
    what: string,
    perSecond: (round: AcceptRound) => number,
    latency?: (round: AcceptRound) => Spread,
  ) => ({
    '': what,
    'a second': of(perSecond),
    'share of raw starts': of((round) => perSecond(round) / round.raw.perSecond),
    'p50, ms': latency ? of((round) => latency(round).p50Ms) : '',
    'p99, ms': latency ? of((round) => latency(round).p99Ms) : '',
  });
  const accepted = row(
    'POSTs answered 202',
    (round) => round.accepted.perSecond,
    (round) => round.accepted,
  );
  const started = row('posted until started', (round) => round.startedPerSecond);
  return {
    title: 'Builds accepted and started',
    notes: [
      `${CONNECTIONS} connections POST build_source; ${CONNECTIONS} connections of Temporal's own client start workflows of the same type with the same input and nothing else, on the same server and namespace: ${perRound} each in every one of ${rounds.length} rounds, either first in turn. No worker runs. A POST writes a row; the dispatcher in the API's process starts the workflow after that. A build counts as started when its row says so; at the end Temporal is asked whether it has as many. Medians of the rounds.`,
    ],
    goals: [accepted, started].map((one) =>
      atLeast(`${one['']}: share of raw starts`, one['share of raw starts'], MIN_RATIO),
    ),
    tables: [
      [
        row(
          'raw starts',
          (round) => round.raw.perSecond,
          (round) => round.raw,
        ),
        accepted,
        started,
      ],
      rounds.map((round, at) => ({
        round: at + 1,
        first: round.first,
        'raw/s': round.raw.perSecond,
        'POST/s': round.accepted.perSecond,
        'started/s': round.startedPerSecond,
        'backlog after the last POST': round.backlog,
      })),
    ],
  };
}

function describe({ raw, accepted, startedPerSecond, backlog }: AcceptRound): string {
  const rates = [raw.perSecond, accepted.perSecond, startedPerSecond].map((one) => one.toFixed(0));
  return `raw ${rates[0]}/s, POST ${rates[1]}/s, started ${rates[2]}/s (backlog ${backlog})`;
}
