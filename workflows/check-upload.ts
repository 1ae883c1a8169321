import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { UploadCheck, UploadProblem } from '../domain/builds/upload-check.ts';

/**
 * Asks the PPA whether it would take an upload. It changes nothing, and somebody waits for it.
 *
 * @param withinMs time for all tries
 */
export async function CheckUploadWorkflow(
  check: UploadCheck,
  withinMs: number,
): Promise<UploadProblem[]> {
  const { checkUpload } = proxyActivities<Activities>({
    scheduleToCloseTimeout: withinMs,
    startToCloseTimeout: withinMs,
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 3 },
  });
  return checkUpload(check);
}
