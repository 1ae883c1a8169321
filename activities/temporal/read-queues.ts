import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { MAX_WORKERS, WORKER_STATES } from '../../domain/service/worker-process.ts';
import { TASK_QUEUE_TYPE } from '../../domain/service/worker-queue.ts';

/** Temporal's PendingActivityState, of an activity that no worker has. */
const SCHEDULED = 1;
const ANSWER_MS = 10_000;
/** Temporal keeps for so long who has asked for tasks; reports are by the clocks of the workers, which may differ. */
const WORKED_WITHIN_MS = 5 * 60_000;
const GRPC_NOT_FOUND = 5;
const GRPC_UNIMPLEMENTED = 12;

/** What Temporal says of task queues and of what waits in them, within ten seconds. */
export type TaskQueues = {
  /**
   * Whether some worker of a task queue has asked for activities, or has reported, in the last five minutes. One whose
   * slots are all taken asks for nothing, and reports; a Temporal before 1.29 does not tell of that.
   */
  hasWorker(taskQueue: string): Promise<boolean>;
  /**
   * The activities of a workflow that have not ended, by their types, and whether a worker has each, or had it and the
   * pause before its next try is not over. One that is due again waits for a worker, whoever had it before.
   */
  pendingActivities(workflow: {
    workflowId: string;
    runId: string;
  }): Promise<{ type: string; isTaken: boolean }[]>;
};

/**
 * Reads Temporal's task queues of a namespace.
 *
 * @throws from every method: the error of Temporal, or of the deadline
 */
export function openTaskQueues(
  connection: Pick<NativeConnection, 'withDeadline'> & {
    workflowService: Pick<
      NativeConnection['workflowService'],
      'describeTaskQueue' | 'describeWorkflowExecution' | 'describeWorker' | 'listWorkers'
    >;
  },
  namespace: string,
): TaskQueues {
  const { workflowService } = connection;
  const withDeadline = <T>(call: () => Promise<T>) =>
    connection.withDeadline(Date.now() + ANSWER_MS, call);

  async function isReportedOf(taskQueue: string): Promise<boolean> {
    const query = `TaskQueue = '${taskQueue}'`;
    const { workers } = await unlessAnswered(GRPC_UNIMPLEMENTED, { workers: [] }, () =>
      withDeadline(() => workflowService.listWorkers({ namespace, query, pageSize: MAX_WORKERS })),
    );
    for (const key of workers.flatMap(({ workerInstanceKey }) => workerInstanceKey ?? [])) {
      // It may have gone since it was listed.
      const { workerInfo } = await unlessAnswered(GRPC_NOT_FOUND, { workerInfo: null }, () =>
        withDeadline(() => workflowService.describeWorker({ namespace, workerInstanceKey: key })),
      );
      const { status, heartbeatTime } = workerInfo?.workerHeartbeat ?? {};
      const reportedMs = Number(heartbeatTime?.seconds ?? 0) * 1_000;
      const hasStopped = WORKER_STATES[Number(status)] === 'stopped';
      if (!hasStopped && Date.now() - reportedMs <= WORKED_WITHIN_MS) return true;
    }
    return false;
  }

  return {
    async hasWorker(name) {
      const { pollers } = await withDeadline(() =>
        workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name },
          // The enum lives in a package that we do not depend on.
          taskQueueType: TASK_QUEUE_TYPE.activity,
        }),
      );
      return pollers.length > 0 || (await isReportedOf(name));
    },

    async pendingActivities(execution) {
      const { pendingActivities } = await withDeadline(() =>
        workflowService.describeWorkflowExecution({ namespace, execution }),
      );
      return pendingActivities.map(({ activityType, state, nextAttemptScheduleTime }) => ({
        type: activityType?.name ?? '',
        // Temporal names the time of the next try until it has come.
        isTaken: Number(state) !== SCHEDULED || Boolean(nextAttemptScheduleTime),
      }));
    },
  };
}

/** What a call gives, or what stands for it where Temporal answers with a code. */
async function unlessAnswered<T, Instead>(
  code: number,
  instead: Instead,
  call: () => Promise<T>,
): Promise<T | Instead> {
  try {
    return await call();
  } catch (error) {
    const answer: { code: number } | undefined = isGrpcServiceError(error) ? error : undefined;
    if (answer?.code === code) return instead;
    throw error;
  }
}
