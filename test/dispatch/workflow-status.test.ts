import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { readWorkflowStatus } from '../../dispatch/workflow-status.ts';

/** A client to whom Temporal describes a workflow of this status, with what is pending. */
function clientThatSees(name: WorkflowExecutionStatusName, pending: object = {}): Client {
  const raw = { pendingActivities: [], ...pending };
  const client = {
    options: { namespace: 'default' },
    workflow: { getHandle: () => ({ describe: async () => ({ status: { name }, raw }) }) },
  };
  return client as unknown as Client;
}

it.each([
  ['PAUSED', 'running'],
  ['COMPLETED', 'completed'],
  ['TERMINATED', 'ended'],
] as const)('takes a workflow that is %s for one that is %s', async (name, state) => {
  const status = await readWorkflowStatus(clientThatSees(name), 'build-1', (call) => call());
  expect(status).toEqual({ state });
});

it.each([
  ['idle where nothing is pending', {}, true],
  ['busy while an activity is pending', { pendingActivities: [{ attempt: 1 }] }, false],
  ['busy while a task is pending', { pendingWorkflowTask: { attempt: 1 } }, false],
])('takes a workflow that runs for %s', async (_, pending, isIdle) => {
  const client = clientThatSees('RUNNING', pending);
  const status = await readWorkflowStatus(client, 'build-1', (call) => call());
  expect(status).toEqual({ state: 'running', isIdle });
});

it.each([
  [
    'who, and why',
    { manual: { identity: 'ana@ops', reason: 'the PPA moves' } },
    'uploadSource is paused in Temporal by ana@ops: the PPA moves',
  ],
  ['no more where nobody said', undefined, 'uploadSource is paused in Temporal'],
])('says of an activity that is paused %s', async (_, pauseInfo, message) => {
  const activityType = { name: 'uploadSource' };
  const paused = { activityType, attempt: 2, paused: true, ...(pauseInfo ? { pauseInfo } : {}) };
  const client = clientThatSees('RUNNING', { pendingActivities: [{ attempt: 1 }, paused] });
  const status = await readWorkflowStatus(client, 'build-1', (call) => call());
  expect(status).toEqual({ state: 'running', isIdle: false, paused: { tries: 2, message } });
});
