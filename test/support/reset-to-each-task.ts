import { randomUUID } from 'node:crypto';
import type { Airline } from './airline.ts';
import { until } from './until.ts';

const RESET_REAPPLY_TYPE_NONE = 2;

/**
 * Resets the latest run of a workflow, as an operator does, to each of its tasks in turn, and waits for the end of each
 * new run. Of a landing, those tasks count that come after the end of its builds.
 *
 * @param options.hasSignals whether a new run gets the signals, too, that came after its task
 * @returns how many times
 */
export async function resetToEachTask(
  airline: Airline,
  workflowId: string,
  { hasSignals = true } = {},
): Promise<number> {
  const { workflow } = airline.temporal;
  // The final message is out a little before its workflow has ended.
  await workflow.getHandle(workflowId).result();
  const { runId, tasks } = await tasksOf(airline, workflowId);
  for (const task of tasks) {
    const again = workflow.getHandle(
      workflowId,
      await resetTo(airline, { workflowId, runId }, task, hasSignals),
    );
    await until(
      `the run from event ${String(task)} has ended`,
      async () => (await again.describe()).status.name === 'COMPLETED',
      300_000,
    );
  }
  return tasks.length;
}

/** Resets the latest run of a workflow, which may be under way, to its first task. The new run gets all signals. */
export async function resetToFirstTask(airline: Airline, workflowId: string): Promise<void> {
  const { runId, tasks } = await tasksOf(airline, workflowId);
  await resetTo(airline, { workflowId, runId }, tasks[0] ?? null, true);
}

/** The latest run of a workflow, and by which events its tasks end. */
async function tasksOf({ temporal: { workflow } }: Airline, workflowId: string) {
  const { runId } = await workflow.getHandle(workflowId).describe();
  const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
  const all = events ?? [];
  const tasks = all
    .slice(all.findLastIndex((event) => event.childWorkflowExecutionCompletedEventAttributes) + 1)
    .filter((event) => event.workflowTaskCompletedEventAttributes)
    .map(({ eventId }) => eventId ?? null);
  return { runId, tasks };
}

/** @returns the id of the new run */
async function resetTo(
  { temporal: { workflowService, options } }: Airline,
  workflowExecution: { workflowId: string; runId: string },
  workflowTaskFinishEventId: Awaited<ReturnType<typeof tasksOf>>['tasks'][number],
  hasSignals: boolean,
): Promise<string> {
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution,
    workflowTaskFinishEventId,
    reason: 'what was wrong is mended',
    requestId: randomUUID(),
    ...(hasSignals ? {} : { resetReapplyType: RESET_REAPPLY_TYPE_NONE }),
  });
  return runId;
}
