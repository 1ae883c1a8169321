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
  { temporal }: Airline,
  workflowId: string,
  { hasSignals = true } = {},
): Promise<number> {
  const { workflow, workflowService, options } = temporal;
  // The final message is out a little before its workflow has ended.
  await workflow.getHandle(workflowId).result();
  const { runId } = await workflow.getHandle(workflowId).describe();
  const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
  const all = events ?? [];
  const tasks = all
    .slice(all.findLastIndex((event) => event.childWorkflowExecutionCompletedEventAttributes) + 1)
    .filter((event) => event.workflowTaskCompletedEventAttributes);
  for (const { eventId } of tasks) {
    const reset = await workflowService.resetWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: eventId ?? null,
      reason: 'what was wrong is mended',
      requestId: randomUUID(),
      ...(hasSignals ? {} : { resetReapplyType: RESET_REAPPLY_TYPE_NONE }),
    });
    const again = workflow.getHandle(workflowId, reset.runId);
    await until(
      `the run from event ${String(eventId)} has ended`,
      async () => (await again.describe()).status.name === 'COMPLETED',
      300_000,
    );
  }
  return tasks.length;
}
