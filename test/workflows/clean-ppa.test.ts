import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type {
  Cleaning,
  CleaningAnswer,
  CleaningInput,
  CleaningLimits,
} from '../../domain/landings/pool-ppa.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { CLEANING_LIMITS } from '../support/build-limits.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const PATIENCE_MS = 120_000;

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
let worker: Worker;
let stopped: Promise<void>;
const taskQueue = `test-${randomUUID()}`;
/** What each poll of a PPA comes to, by workflow; clean after the last. */
const answers = new Map<string, (CleaningAnswer | Error)[]>();
const polls = new Map<string, Pick<CleaningInput, 'poolPpaId' | 'cleaning' | 'readsPast'>[]>();
const ends = new Map<string, (string | null)[]>();
/** Why the end of a cleaning cannot be written, by workflow. */
const faults = new Map<string, Error>();

const own = () => Context.current().info.workflowExecution?.workflowId ?? '';

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: {
      async emptyPpa({ poolPpaId, cleaning, readsPast }: Cleaning): Promise<CleaningAnswer> {
        polls.get(own())?.push({ poolPpaId, cleaning, readsPast });
        const answer = answers.get(own())?.shift() ?? { isClean: true };
        if (answer instanceof Error) throw answer;
        return answer;
      },
      async endCleaning({ problem }: { problem: string | null }): Promise<void> {
        const fault = faults.get(own());
        if (fault) throw fault;
        ends.get(own())?.push(problem);
      },
    },
  });
  stopped = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await stopped;
  await connection.close();
  await nativeConnection.close();
});

/** Begins to clean a PPA. */
function begin(
  workflowId: string,
  script: (CleaningAnswer | Error)[],
  limits: Partial<CleaningLimits> = {},
) {
  answers.set(workflowId, script);
  polls.set(workflowId, []);
  ends.set(workflowId, []);
  const input: CleaningInput = {
    poolPpaId: 3,
    cleaning: 2,
    ppa: { owner: 'team', distribution: 'debian', name: 'silo' },
    readsPast: true,
    lastUse: null,
    limits: { ...CLEANING_LIMITS, ...limits },
  };
  return client.workflow.start<(input: CleaningInput) => Promise<{ problem: string | null }>>(
    'CleanPpaWorkflow',
    { taskQueue, workflowId, args: [input] },
  );
}

/** Cleans a PPA. @returns how it was polled, and how it ended */
async function clean(script: (CleaningAnswer | Error)[], limits: Partial<CleaningLimits> = {}) {
  const workflowId = `clean-ppa-${randomUUID()}`;
  const handle = await begin(workflowId, script, limits);
  const result = await handle.result();
  expect(ends.get(workflowId)).toEqual([result.problem]);
  return { ...result, polls: polls.get(workflowId) };
}

describe('CleanPpaWorkflow', () => {
  test.concurrent('polls until the PPA is empty, and reads its past once', async () => {
    const waitsFor = 'the deletion of hello 1.0';
    expect(await clean([{ waitsFor }, { waitsFor }])).toEqual({
      problem: null,
      polls: [true, false, false].map((readsPast) => ({ poolPpaId: 3, cleaning: 2, readsPast })),
    });
  });

  test.concurrent('quarantines what it is told to', async () => {
    const problem = 'it has foreign 1.0, which no landing has uploaded';
    expect(await clean([{ problem }])).toMatchObject({ problem });
  });

  test.concurrent('quarantines what does not become empty in time', async () => {
    const waitsFor = 'its apt repository to forget hello 1.0';
    const script = Array.from({ length: 10_000 }, () => ({ waitsFor }));
    expect(await clean(script, { cleanMs: 1, pollMs: 1 })).toMatchObject({
      problem: `it waited too long for ${waitsFor}`,
    });
  });

  test.concurrent('quarantines what nobody can look at', async () => {
    const fault = ApplicationFailure.nonRetryable('it answered in another form');
    expect(await clean([fault])).toMatchObject({
      problem: 'it could not be emptied: it answered in another form',
    });
  });

  test.concurrent('waits by a timer for a database that stays away', async () => {
    const workflowId = `clean-ppa-${randomUUID()}`;
    // As long as the wait is after some tries.
    const fault = { message: 'the database is away', nextRetryDelay: 16_000 };
    faults.set(workflowId, ApplicationFailure.create(fault));
    const handle = await begin(workflowId, []);
    await until(
      'it waits by a timer',
      async () => {
        const { events } = await handle.fetchHistory();
        return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
      },
      PATIENCE_MS,
    );
    await handle.terminate();
  });
});
