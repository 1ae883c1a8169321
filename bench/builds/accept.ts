import { Client, Connection } from '@temporalio/client';
import { BUILD_TASK_QUEUE, type BuildSourceInput } from '../../domain/builds/build-workflow.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { withBenchStack, type BenchStack } from '../bench-stack.ts';
import { atLeast, type Result } from '../report.ts';
import { listRounds, RATE, runRounds, shareOf, summariseRounds, type Rounds } from '../rounds.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import { spreadOf } from '../statistics.ts';
import { openBuildRows, type BuildRows } from './build-rows.ts';
import { openRawStarts } from './raw-starts.ts';
import { inputOfWorkflow } from './workflow-input.ts';

const CONNECTIONS = 20;
const WARM_UP = 50;
const NEEDED_BYTES = 8 * 2 ** 30;
const DISPATCH_LIMIT_MS = 600_000;
const COUNT_LIMIT_MS = 120_000;
const POLL_MS = 50;
/** Least throughput, as a share of that of raw starts. */
const MIN_RATIO = 0.7;

export const RAW = 'raw starts';
export const POSTED = 'POSTs answered 202';
export const STARTED = 'posted until started';

/**
 * Measures POST build_source beside Temporal's own client, on the same server and namespace, with the same input and
 * no worker. What was posted counts as started when its workflow is there.
 */
export function measureAccept(options: {
  rounds: number;
  builds: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
  const { signal, builds } = options;
  const setting = {
    only: ['api'] as const,
    // No worker takes any.
    environment: { AIRLINE_MAX_UNTAKEN: '1000000' },
    neededBytes: NEEDED_BYTES,
    signal,
  };
  return withBenchStack(setting, async (bench) => {
    const { addresses } = bench.stack;
    const connection = await Connection.connect({ address: addresses.temporalAddress });
    const temporal = new Client({ connection });
    const rows = await openBuildRows(addresses.databaseUrl);
    const body = await requestBody(bench);
    const input = await inputOfOne(bench, temporal, rows, body);
    const raw = await openRawStarts(addresses.temporalAddress, CONNECTIONS, input);
    const startRaw = async (count: number) => ({ [RAW]: await timed(count, raw.start) });
    const post = (count: number) => measurePosts(bench, rows, body, count, signal);
    try {
      await startRaw(WARM_UP);
      await post(WARM_UP);
      const rounds = await runRounds([() => startRaw(builds), () => post(builds)], options);
      await assertWorkflows(temporal, await rows.lastId());
      return acceptResult(rounds, builds);
    } finally {
      await raw.close();
      await rows.close();
      await connection.close();
    }
  });
}

async function measurePosts(
  { rest }: BenchStack,
  rows: BuildRows,
  body: object,
  count: number,
  signal: AbortSignal,
) {
  const before = await rows.lastId();
  const startedAtMs = Date.now();
  const posted = await timed(count, () => rest.post('/api/v1/build_source', body));
  const { waiting } = await rows.dispatchedAfter(before);
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
    [POSTED]: { ...posted, 'without workflow after the last POST': waiting },
    [STARTED]: { [RATE]: (count / (lastAtMs - startedAtMs)) * 1_000 },
  };
}

/** Does something so many times over the connections, with one after the other on each. */
async function timed(count: number, once: (lane: number) => Promise<unknown>) {
  const startedAtMs = performance.now();
  const latenciesMs = await sideBySide(
    Array.from({ length: count }),
    CONNECTIONS,
    async (_, lane) => {
      const beganAtMs = performance.now();
      await once(lane);
      return performance.now() - beganAtMs;
    },
  );
  const { p50Ms, p99Ms } = spreadOf(latenciesMs);
  const perSecond = (count / (performance.now() - startedAtMs)) * 1_000;
  return { [RATE]: perSecond, 'p50, ms': p50Ms, 'p99, ms': p99Ms };
}

/** Every row has its workflow: what the rows say is what Temporal has. */
async function assertWorkflows(temporal: Client, builds: number): Promise<void> {
  await waitUntil(
    `a workflow in Temporal for each of ${builds} builds`,
    async () => {
      const { count } = await temporal.workflow.count(`TaskQueue = '${BUILD_TASK_QUEUE}'`);
      if (count !== builds) throw new Error(`${count} are there`);
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
  return inputOfWorkflow(temporal, build.workflow_id);
}

/** What the rounds have shown, for people. */
export function acceptResult(rounds: Rounds, builds: number): Result {
  return {
    title: 'Builds accepted and started',
    notes: [
      `${CONNECTIONS} connections POST build_source; ${CONNECTIONS} connections of Temporal's own client start workflows of the same type with the same input and nothing else, on the same server and namespace: ${builds} each in every round, either first in turn. No worker runs. A POST writes a row; the dispatcher in the API's process starts the workflow after that. A build counts as started when its row says so; at the end Temporal is asked whether it has as many. Medians of the rounds.`,
    ],
    goals: [POSTED, STARTED].map((title) =>
      atLeast(`${title}: share of raw starts`, shareOf(rounds, title, RAW), MIN_RATIO),
    ),
    tables: [summariseRounds(rounds), listRounds(rounds)],
  };
}
