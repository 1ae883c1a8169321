import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { openBuildWatches, type BuildWatches } from '../../activities/temporal/build-watches.ts';
import { STATUS_QUERY } from '../../domain/builds/build-workflow.ts';
import { JOIN_SIGNAL, watchWorkflowId, type WatchStatus } from '../../domain/builds/ppa-watch.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { until } from '../support/until.ts';
import { queryWorkflow } from './query-workflow.ts';

const PATIENCE_MS = 300_000;
const LIMITS = { pollInitialMs: 5, pollFactor: 1, pollMaxMs: 5, historyMaxEvents: 2_000 };
const taskQueue = `test-${randomUUID()}`;

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
let watches: BuildWatches;
let worker: Worker;
let stopped: Promise<void>;
/** What each round of a PPA gives, by the PPA's name; a function is called once for each. */
const rounds = new Map<string, () => Promise<number>>();

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  watches = openBuildWatches(client);
  worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: {
      watchPpa: async ({ ppa }: { ppa: { name: string } }) => ({
        watched: (await rounds.get(ppa.name)?.()) ?? 0,
      }),
    },
  });
  stopped = worker.run();
}, 300_000);

afterAll(async () => {
  worker.shutdown();
  await stopped;
  await connection.close();
  await nativeConnection.close();
});

/** A PPA of its own, whose rounds are played. */
function watch(round: () => Promise<number>) {
  const ppa = { owner: 'airline', distribution: 'debian', name: `ppa-${randomUUID()}` };
  rounds.set(ppa.name, round);
  const handle = client.workflow.getHandle(watchWorkflowId(ppa));
  return {
    handle,
    join: (limits = LIMITS) => watches.join(ppa, limits, taskQueue),
    runs: async () => (await handle.describe()).runId,
    status: () => queryWorkflow<WatchStatus>(handle, STATUS_QUERY),
  };
}

jest.setTimeout(PATIENCE_MS * 2);

describe('WatchPpaWorkflow', () => {
  test.concurrent('goes on while builds wait, and ends with the last of them', async () => {
    const left = [2, 2, 1, 0];
    const { handle, join, status } = watch(async () => left.shift() ?? 0);
    await join();
    await handle.result();
    expect(left).toEqual([]);
    expect(await status()).toEqual({ watched: 0, rounds: 4 });
  });

  test.concurrent('begins anew with a build that joins after its end', async () => {
    let count = 0;
    const { handle, join } = watch(async () => {
      count += 1;
      return 0;
    });
    await join();
    await handle.result();
    await join();
    await until('a second round', () => count === 2, PATIENCE_MS);
    await handle.result();
  });

  test.concurrent('goes on for a build that joins during the round that finds none', async () => {
    let count = 0;
    const { handle, join } = watch(async () => {
      count += 1;
      if (count === 1) await join();
      return 0;
    });
    await join();
    await handle.result();
    expect(count).toBe(2);
  });

  test.concurrent(
    'polls soon after a build has joined, however long the wait is by then',
    async () => {
      let count = 0;
      const { handle, join } = watch(async () => (count += 1) && (count < 3 ? 1 : 0));
      await join({ ...LIMITS, pollFactor: 1_000_000, pollMaxMs: 3_600_000 });
      await until('the first round', () => count === 1, PATIENCE_MS);
      await join(LIMITS);
      await handle.result();
      expect(count).toBe(3);
    },
  );

  test.concurrent('goes on with its limits where a signal brings none', async () => {
    let count = 0;
    const { handle, join } = watch(async () => (count += 1) && (count < 3 ? 1 : 0));
    await join({ ...LIMITS, pollFactor: 1_000_000, pollMaxMs: 3_600_000 });
    await until('the first round', () => count === 1, PATIENCE_MS);
    await handle.signal(JOIN_SIGNAL);
    await until('another round', () => count === 2, PATIENCE_MS);
    await handle.signal(JOIN_SIGNAL, null);
    await handle.result();
    expect(count).toBe(3);
  });

  test.concurrent('a round that fails for good comes again', async () => {
    let count = 0;
    const { handle, join } = watch(async () => {
      count += 1;
      if (count <= 5) throw new Error('the database is away');
      return 0;
    });
    await join();
    await handle.result();
    expect(count).toBe(6);
  });

  test.concurrent('continues as new where its history has grown long', async () => {
    let count = 0;
    const { handle, join, runs } = watch(async () => ((count += 1) < 8 ? 1 : 0));
    await join({ ...LIMITS, historyMaxEvents: 20 });
    const first = await runs();
    await until('another run', async () => (await runs()) !== first, PATIENCE_MS);
    await handle.result();
    expect(count).toBe(8);
  });

  test.concurrent('does not continue as new while builds join, but after that', async () => {
    const joining = 8;
    let count = 0;
    const runsOfRounds: string[] = [];
    const { handle, join, runs } = watch(async () => {
      count += 1;
      runsOfRounds.push(await runs());
      if (count < joining) await join({ ...LIMITS, historyMaxEvents: 20 });
      return count < joining + 2 ? 1 : 0;
    });
    await join({ ...LIMITS, historyMaxEvents: 20 });
    await until('the last round', () => count === joining + 2, PATIENCE_MS);
    await handle.result();
    const [first] = runsOfRounds;
    expect(runsOfRounds.slice(0, joining)).toEqual(Array(joining).fill(first));
    expect(runsOfRounds[joining]).not.toBe(first);
  });
});
