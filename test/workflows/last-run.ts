import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';

/** The input of the latest run of a workflow. */
export async function inputOfLastRun<Input>(
  client: Client,
  { workflowId }: { workflowId: string },
): Promise<Input> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  return defaultPayloadConverter.fromPayload(started?.input?.payloads?.[0] ?? {});
}
