import type { NativeConnection } from '@temporalio/worker';
import { openTaskQueues } from '../../../activities/temporal/read-queues.ts';

/** A Temporal that answers nothing: a call to it ends by its deadline, or never. */
function silentTemporal(): NativeConnection {
  const silence = () => new Promise<never>(() => undefined);
  return {
    withDeadline: (deadline: number, call: () => Promise<unknown>) => {
      const overMs = deadline - Date.now();
      if (!(overMs > 0 && overMs <= 60_000)) throw new Error(`a deadline of ${overMs} ms`);
      void call();
      return Promise.reject(new Error('DEADLINE_EXCEEDED'));
    },
    workflowService: { describeTaskQueue: silence, describeWorkflowExecution: silence },
  } as unknown as NativeConnection;
}

it('waits for a Temporal that does not answer no longer than its deadline', async () => {
  const queues = openTaskQueues(silentTemporal(), 'default');
  await expect(queues.hasPoller('tests-amd64')).rejects.toThrow('DEADLINE_EXCEEDED');
  const workflow = { workflowId: 'landing-1', runId: 'first' };
  await expect(queues.untaken(workflow)).rejects.toThrow('DEADLINE_EXCEEDED');
});
