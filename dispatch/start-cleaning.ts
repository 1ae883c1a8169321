import { TypedSearchAttributes } from '@temporalio/common';
import { attributeKey, keyword } from '../domain/builds/build-labels.ts';
import {
  cleaningWorkflowId,
  type Cleaning,
  type CleaningLimits,
} from '../domain/landings/pool-ppa.ts';
import { ppaReference } from '../domain/packages/ppa.ts';
import { summaryText } from '../domain/builds/workflow-summary.ts';
import type { CleanPpaWorkflow } from '../workflows/index.ts';
import type { StartOnce } from './start-once.ts';

// The workflow keeps to its own limit; Temporal ends one that cannot.
const MARGIN_MS = 86_400_000;

/**
 * Starts the workflow that empties a PPA of the pool. Safe to repeat.
 *
 * @throws StartRefusedError; any other error means that a later try may succeed
 */
export async function startCleaning(
  startOnce: StartOnce,
  options: { taskQueue: string; cleaningLimits: CleaningLimits },
  cleaning: Cleaning,
): Promise<void> {
  const { taskQueue, cleaningLimits: limits } = options;
  const ppa = ppaReference(cleaning.ppa);
  await startOnce<typeof CleanPpaWorkflow>('CleanPpaWorkflow', {
    taskQueue,
    workflowId: cleaningWorkflowId(cleaning),
    workflowExecutionTimeout: limits.cleanMs + MARGIN_MS,
    args: [{ ...cleaning, limits }],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: attributeKey('AirlinePpa'), value: keyword(ppa) },
    ]),
    memo: { ppa: `/api/v1/ppapool/${cleaning.poolPpaId}/` },
    staticSummary: summaryText(`Empty ${ppa}`),
  });
}
