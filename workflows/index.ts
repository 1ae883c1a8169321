import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { BuildSourceWorkflow } from './build-source.ts';
import { CheckUploadWorkflow } from './check-upload.ts';
import { CleanPpaWorkflow } from './clean-ppa.ts';

export { BuildSourceWorkflow, CheckUploadWorkflow, CleanPpaWorkflow };
export { LandTicketWorkflow } from './land-ticket.ts';
export { WatchPpaWorkflow } from './watch-ppa.ts';

/*
 * Where workers have versions, a workflow that is soon over stays with the version that it began with. The others go on
 * with the current one, by `patched` (docs/decisions/0030-versions-of-workers.md).
 */
setWorkflowOptions(pinned, BuildSourceWorkflow);
setWorkflowOptions(pinned, CheckUploadWorkflow);
setWorkflowOptions(pinned, CleanPpaWorkflow);

/** Of a worker without a deployment, Temporal refuses to hear of any behaviour. */
function pinned(): { versioningBehavior?: 'PINNED' } {
  const { currentDeploymentVersion: version } = workflowInfo();
  return version?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
