import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** A worker that dies leaves one task that fails. One that has failed so often in a row fails on. */
const STUCK_TRIES = 2;
/** The failure of a task is one of the last events: Temporal writes the first of those in a row. */
const LAST_EVENTS = 10;

/**
 * How a workflow stands. `stuck`: its task fails again and again, as where a worker's code does not fit its history.
 */
export type WorkflowStatus =
  { state: 'running' | 'ended' | 'unknown' } | { state: 'stuck'; tries: number; message: string };

/**
 * Asks Temporal how a workflow stands.
 *
 * @param withDeadline gives a call its deadline
 */
export async function readWorkflowStatus(
  client: Client,
  workflowId: string,
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<WorkflowStatus> {
  const { connection, options } = client;
  try {
    const { status, raw } = await withDeadline(() =>
      client.workflow.getHandle(workflowId).describe(),
    );
    // An operator may hold one: it goes on later.
    if (status.name === 'PAUSED') return { state: 'running' };
    if (status.name !== 'RUNNING') return { state: 'ended' };
    const tries = (raw.pendingWorkflowTask?.attempt ?? 1) - 1;
    if (tries < STUCK_TRIES) return { state: 'running' };
    const { history } = await withDeadline(() =>
      connection.workflowService.getWorkflowExecutionHistoryReverse({
        namespace: options.namespace,
        execution: { workflowId },
        maximumPageSize: LAST_EVENTS,
      }),
    );
    const failure = history?.events?.find(
      (event) => event.workflowTaskFailedEventAttributes,
    )?.workflowTaskFailedEventAttributes;
    const message = failure?.failure?.message ?? 'no worker has finished its task in time';
    return { state: 'stuck', tries, message };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'unknown' };
    throw error;
  }
}
