import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { BuildSourceInput } from '../../domain/builds/build-workflow.ts';

/**
 * What a build's workflow was started with.
 *
 * @throws Error where its history has none
 */
export async function inputOfWorkflow(
  client: Client,
  workflowId: string,
): Promise<BuildSourceInput> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (!payload) throw new Error(`The workflow ${workflowId} has no input.`);
  return defaultPayloadConverter.fromPayload(payload);
}
