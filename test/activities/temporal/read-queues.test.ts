import type { NativeConnection } from '@temporalio/worker';
import { openTaskQueues } from '../../../activities/temporal/read-queues.ts';

/** A Temporal that answers nothing: a call to it ends by its deadline, or never. */
function silentTemporal(): NativeConnection {
  const silence = () => new Promise<never>(() => undefined);
  return {
    withDeadline: (deadline: number, call: () => Promise<unknown>) => {
      const overMs = deadline - Date.now();
      if (!(overMs > 0 && overMs <= 60_000)) throw new Error(`a deadline of ${overMs} ms`);
      void call();
      return Promise.reject(new Error('DEADLINE_EXCEEDED'));
    },
    workflowService: { describeTaskQueue: silence, describeWorkflowExecution: silence },
  } as unknown as NativeConnection;
}

it('waits for a Temporal that does not answer no longer than its deadline', async () => {
  const queues = openTaskQueues(silentTemporal(), 'default');
  await expect(queues.hasWorker('tests-amd64')).rejects.toThrow('DEADLINE_EXCEEDED');
  const workflow = { workflowId: 'landing-1', runId: 'first' };
  await expect(queues.pendingActivities(workflow)).rejects.toThrow('DEADLINE_EXCEEDED');
});

it('knows which activities no worker has: not those that wait for their next try', async () => {
  const activityType = { name: 'makeBaseImage' };
  const [lastAttemptCompleteTime, nextAttemptScheduleTime] = [{ seconds: 9 }, { seconds: 60 }];
  const connection = {
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
    workflowService: {
      describeWorkflowExecution: async () => ({
        pendingActivities: [
          { activityType, state: 1, attempt: 1 },
          {
            activityType,
            state: 1,
            attempt: 2,
            lastAttemptCompleteTime,
            nextAttemptScheduleTime,
          },
          { activityType, state: 1, attempt: 2, lastAttemptCompleteTime },
          { activityType, state: 2, attempt: 1, lastStartedTime: { seconds: 9 } },
        ],
      }),
    },
  } as unknown as NativeConnection;
  const queues = openTaskQueues(connection, 'default');
  const activities = await queues.pendingActivities({ workflowId: 'landing-1', runId: 'first' });
  expect(activities).toEqual(
    [false, true, false, true].map((isTaken) => ({ type: 'makeBaseImage', isTaken })),
  );
});

describe('a task queue that nobody has asked lately', () => {
  type Report = { status?: number; agoMs: number };
  /** Whether it has a worker, of which Temporal has these reports; those of null are gone since they were listed. */
  const hasWorker = (reports: Record<string, Report | null>) => {
    const connection = {
      withDeadline: (_: number, call: () => Promise<unknown>) => call(),
      workflowService: {
        describeTaskQueue: async () => ({ pollers: [] }),
        listWorkers: async ({ query }: { query: string }) => ({
          workers: (query === "TaskQueue = 'tests-amd64'" ? Object.keys(reports) : []).map(
            (workerInstanceKey) => ({ workerInstanceKey }),
          ),
        }),
        describeWorker: async ({ workerInstanceKey: key }: { workerInstanceKey: string }) => {
          const report = reports[key];
          if (!report) throw answerOf(5);
          const heartbeatTime = { seconds: (Date.now() - report.agoMs) / 1_000 };
          return { workerInfo: { workerHeartbeat: { status: report.status ?? 1, heartbeatTime } } };
        },
      },
    } as unknown as NativeConnection;
    return openTaskQueues(connection, 'default').hasWorker('tests-amd64');
  };

  it('has a worker where one reports, though all its slots are taken', async () => {
    expect(await hasWorker({ gone: null, dead: { agoMs: 600_000 }, busy: { agoMs: 9_000 } })).toBe(
      true,
    );
  });

  it('has none where those of old have stopped, are silent or gone', async () => {
    const stopped = { status: 3, agoMs: 9_000 };
    expect(await hasWorker({ gone: null, dead: { agoMs: 600_000 }, stopped })).toBe(false);
    expect(await hasWorker({})).toBe(false);
  });
});

it('has no worker that a Temporal cannot tell of, and says nothing where it is away', async () => {
  const hasWorker = (code: number) => {
    const connection = {
      withDeadline: (_: number, call: () => Promise<unknown>) => call(),
      workflowService: {
        describeTaskQueue: async () => ({ pollers: [] }),
        listWorkers: () => Promise.reject(answerOf(code)),
      },
    } as unknown as NativeConnection;
    return openTaskQueues(connection, 'default').hasWorker('tests-amd64');
  };
  expect(await hasWorker(12)).toBe(false);
  await expect(hasWorker(14)).rejects.toThrow('answer 14');
});

/** An answer of Temporal that is an error, by its code of gRPC. */
function answerOf(code: number): Error {
  return Object.assign(new Error(`answer ${code}`), { code, details: '', metadata: {} });
}
