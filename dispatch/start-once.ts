import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { asStartError } from './temporal-errors.ts';

/**
 * Starts a workflow, once for ever: where its id has had one, nothing happens.
 *
 * @throws StartRefusedError; any other error means that a later try may succeed
 */
export type StartOnce = <T extends Workflow>(
  name: string,
  options: WorkflowStartOptions<T>,
) => Promise<void>;

/** @param withDeadline gives a call its deadline */
export function createStartOnce(
  client: Client,
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>,
): StartOnce {
  return async (name, options) => {
    try {
      await withDeadline(() =>
        client.workflow.start(name, {
          ...options,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asStartError(error);
    }
  };
}
