import { isGrpcDeadlineError, type WorkflowHandle } from '@temporalio/client';
import { until } from '../support/until.ts';

/**
 * What a workflow answers to a query. The server waits some seconds for its worker: where that is slow, it is asked
 * again.
 *
 * @param query its name
 */
export function queryWorkflow<T>(handle: Pick<WorkflowHandle, 'query'>, query: string): Promise<T> {
  const ask = async () => {
    try {
      return { answer: await handle.query<T>(query) };
    } catch (error) {
      if (isGrpcDeadlineError(error)) return undefined;
      throw error;
    }
  };
  return until(`an answer to ${query}`, ask, 300_000).then(({ answer }) => answer);
}
