import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { ppaReference } from '../domain/packages/ppa.ts';
import { shownPackage } from '../domain/packages/source-file.ts';
import type { UploadCheck, UploadProblem } from '../domain/builds/upload-check.ts';
import { summaryText } from '../domain/builds/workflow-summary.ts';
import type { CheckUploadWorkflow } from '../workflows/index.ts';

/**
 * Has a worker ask the PPA whether it would take an upload, and waits for it.
 *
 * @throws where no worker has brought the PPA's answer within `uploadCheckMs`, or Temporal does not answer
 */
export async function checkUpload(
  client: Client,
  {
    taskQueue,
    rpcTimeoutMs,
    uploadCheckMs,
  }: { taskQueue: string; rpcTimeoutMs: number; uploadCheckMs: number },
  check: UploadCheck,
): Promise<UploadProblem[]> {
  const { connection } = client;
  const handle = await connection.withDeadline(Date.now() + rpcTimeoutMs, () =>
    client.workflow.start<typeof CheckUploadWorkflow>('CheckUploadWorkflow', {
      taskQueue,
      workflowId: `check-upload-${randomUUID()}`,
      // Nobody waits for it any longer.
      workflowExecutionTimeout: uploadCheckMs,
      args: [check, uploadCheckMs],
      staticSummary: summaryText(
        `${check.packages.map(shownPackage).join(', ')} for ${ppaReference(check.ppa)}`,
      ),
    }),
  );
  return connection.withDeadline(Date.now() + uploadCheckMs + rpcTimeoutMs, () => handle.result());
}
