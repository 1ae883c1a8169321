import { askAfterWorkflow } from '../../dispatch/ask-after-workflow.ts';
import type { WorkflowStatus } from '../../dispatch/workflow-status.ts';
import { keepLog } from '../activities/activity.ts';

async function ask(status: WorkflowStatus) {
  const { logger, lines } = keepLog();
  const workflows = { status: async () => status };
  expect(await askAfterWorkflow({ workflows, logger }, 'landing-7')).toBe(status);
  return lines;
}

it('the log raises an alarm over a workflow that cannot get on', async () => {
  expect(await ask({ state: 'stuck', tries: 3, message: 'Nondeterminism error' })).toMatchObject([
    {
      alarm: 'workflow_stuck',
      workflowId: 'landing-7',
      tries: 3,
      problem: 'Nondeterminism error',
    },
  ]);
});

it.each(['running', 'ended', 'unknown'] as const)(
  'the log says nothing of a workflow that is asked after and is %s',
  async (state) => {
    expect(await ask({ state })).toEqual([]);
  },
);
