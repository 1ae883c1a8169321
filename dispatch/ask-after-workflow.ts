import type { Logger } from 'pino';
import type { TemporalWorkflows } from './temporal-workflows.ts';
import type { WorkflowStatus } from './workflow-status.ts';

/** Asks Temporal how a workflow stands. Of one that cannot get on by itself, whoever watches the log is told. */
export async function askAfterWorkflow(
  { workflows, logger }: { workflows: Pick<TemporalWorkflows, 'status'>; logger: Logger },
  workflowId: string,
): Promise<WorkflowStatus> {
  const status = await workflows.status(workflowId);
  if (status.state === 'stuck')
    logger.error(
      { workflowId, tries: status.tries, alarm: 'workflow_stuck', problem: status.message },
      'a workflow cannot get on by itself',
    );
  return status;
}
