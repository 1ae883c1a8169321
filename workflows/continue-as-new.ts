import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { BuildSourceInput } from '../domain/builds/build-workflow.ts';
import type { BuildAttempt } from './build-attempt.ts';

/** Whether the history of this run is so long, or so large, that the workflow has to go on in a new one. */
export function historyIsLong(maxEvents: number): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return historyLength >= maxEvents || continueAsNewSuggested;
}

/**
 * Goes on in a new run, with what that still needs: Temporal fails each try of a task that gives more than 2 MiB. The
 * sources are checked by now, and each file's address is with its package until that is uploaded.
 */
export async function goOnInNewRun({ input, watched }: BuildAttempt): Promise<never> {
  await condition(allHandlersFinished);
  return continueAsNew<(input: BuildSourceInput) => Promise<unknown>>({
    ...input,
    request: { ...input.request, sourcePackages: [] },
    resumed: watched,
  });
}
