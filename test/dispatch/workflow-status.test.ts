import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { readWorkflowStatus } from '../../dispatch/workflow-status.ts';

/** A client to whom Temporal describes a workflow of this status. */
function clientThatSees(name: WorkflowExecutionStatusName): Client {
  const client = {
    options: { namespace: 'default' },
    workflow: { getHandle: () => ({ describe: async () => ({ status: { name }, raw: {} }) }) },
  };
  return client as unknown as Client;
}

it.each([
  ['RUNNING', 'running'],
  ['PAUSED', 'running'],
  ['COMPLETED', 'ended'],
  ['TERMINATED', 'ended'],
] as const)('takes a workflow that is %s for one that is %s', async (name, state) => {
  const status = await readWorkflowStatus(clientThatSees(name), 'build-1', (call) => call());
  expect(status).toEqual({ state });
});
