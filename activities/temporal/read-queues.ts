import type { NativeConnection } from '@temporalio/worker';
import { TASK_QUEUE_TYPE } from '../../domain/service/worker-queue.ts';

/** Temporal's PendingActivityState, of an activity that no worker has. */
const SCHEDULED = 1;
const ANSWER_MS = 10_000;

/** What Temporal says of task queues and of what waits in them, within ten seconds. */
export type TaskQueues = {
  /** Whether some worker has asked for activities of a task queue in the last five minutes. */
  hasPoller(taskQueue: string): Promise<boolean>;
  /** The types of the activities of a workflow that no worker has taken yet. */
  untaken(workflow: { workflowId: string; runId: string }): Promise<string[]>;
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
      'describeTaskQueue' | 'describeWorkflowExecution'
    >;
  },
  namespace: string,
): TaskQueues {
  const { workflowService } = connection;
  const withDeadline = <T>(call: () => Promise<T>) =>
    connection.withDeadline(Date.now() + ANSWER_MS, call);
  return {
    async hasPoller(name) {
      const { pollers } = await withDeadline(() =>
        workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name },
          // The enum lives in a package that we do not depend on.
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
          taskQueueType: TASK_QUEUE_TYPE.activity,
        }),
      );
      return pollers.length > 0;
    },

    async untaken(execution) {
      const { pendingActivities } = await withDeadline(() =>
        workflowService.describeWorkflowExecution({ namespace, execution }),
      );
      return pendingActivities.flatMap(({ activityType, state, lastStartedTime }) =>
        Number(state) === SCHEDULED && !lastStartedTime ? [activityType?.name ?? ''] : [],
      );
    },
  };
}
