import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { durationText } from '../domain/text/quantity-text.ts';

/** A worker that dies leaves one task that fails. One that has failed so often in a row fails on. */
const STUCK_TRIES = 2;
/** A worker takes a task within seconds; a deploy of all of them takes minutes. */
const UNTAKEN_MS = 5 * 60_000;
/** The failure of a task is one of the last events: Temporal writes the first of those in a row. */
const LAST_EVENTS = 10;

/**
 * How a workflow stands. `isIdle`: no worker has anything to do for it, so that it waits for a timer or a signal.
 * `paused`: the activity of it that somebody has paused, which goes on once it is unpaused.
 * `completed`: it has ended with a result, which its row lacks where the database was restored from before that.
 * `ended`: it has ended without one. `stuck`: its task fails again and again, as where a worker's code does not fit its
 * history, or no worker takes it.
 */
export type WorkflowStatus =
  | { state: 'running'; isIdle?: boolean; paused?: PausedActivity }
  | { state: 'completed' | 'ended' | 'unknown' }
  | { state: 'stuck'; tries: number; message: string };

/** An activity that is paused, its tries so far, and who has paused it, and why, in a sentence. */
type PausedActivity = { tries: number; message: string };

/**
 * Asks Temporal how a workflow stands.
 *
 * @param withDeadline gives a call its deadline
 * @param now Unix time in ms
 */
export async function readWorkflowStatus(
  client: Client,
  workflowId: string,
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>,
  now = Date.now(),
): Promise<WorkflowStatus> {
  const { connection, options } = client;
  try {
    const { status, raw } = await withDeadline(() =>
      client.workflow.getHandle(workflowId).describe(),
    );
    // An operator may hold one: it goes on later.
    if (status.name === 'PAUSED') return { state: 'running' };
    if (status.name === 'COMPLETED') return { state: 'completed' };
    if (status.name !== 'RUNNING') return { state: 'ended' };
    const task = raw.pendingWorkflowTask;
    const tries = (task?.attempt ?? 1) - 1;
    if (tries < STUCK_TRIES) {
      const isIdle = !task && !raw.pendingActivities?.length;
      const paused = pausedActivity(raw.pendingActivities ?? []);
      return untaken(task, now) ?? { state: 'running', isIdle, ...(paused ? { paused } : {}) };
    }
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

function pausedActivity(pending: readonly PendingActivity[]): PausedActivity | undefined {
  const activity = pending.find(({ paused }) => paused);
  if (!activity) return undefined;
  const { identity, reason } = activity.pauseInfo?.manual ?? {};
  const by = identity ? ` by ${identity}` : '';
  const message = `${activity.activityType?.name ?? 'an activity'} is paused in Temporal${by}${reason ? `: ${reason}` : ''}`;
  return { tries: activity.attempt ?? 1, message };
}

type PendingActivity = NonNullable<
  WorkflowExecutionDescription['raw']['pendingActivities']
>[number];
type WorkflowTask = WorkflowExecutionDescription['raw']['pendingWorkflowTask'];

/** @returns undefined where no task has waited for long; one that a worker has taken has seconds to be answered */
function untaken(task: WorkflowTask, now: number): WorkflowStatus | undefined {
  if (!task?.scheduledTime) return undefined;
  const ms = now - Number(task.scheduledTime.seconds) * 1_000;
  if (ms < UNTAKEN_MS) return undefined;
  const message = `no worker has taken its task for ${durationText(ms)}: none runs, or none reaches Temporal`;
  return { state: 'stuck', tries: task.attempt ?? 1, message };
}
