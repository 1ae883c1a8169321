import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { buildIdOfWorkflow } from '../../domain/build-workflow.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Activity = (input: never) => Promise<unknown>;

/**
 * Wraps activities so that a build that cannot get on says so on its row at once, and why: a failed try that will be
 * repeated is noted, a later success takes the note back. A note that cannot be written changes nothing else.
 */
export function notingTrouble<T extends Record<string, Activity>>(
  activities: T,
  {
    database: { Build },
    logger,
  }: { database: Pick<ActivityDependencies['database'], 'Build'> } & Pick<
    ActivityDependencies,
    'logger'
  >,
): T {
  return Object.fromEntries(
    Object.entries(activities).map(([step, activity]) => [
      step,
      async (input: never) => {
        const { attempt, workflowExecution } = Context.current().info;
        const buildId = buildIdOfWorkflow(workflowExecution?.workflowId ?? '');
        const note = async (write: (buildId: number) => Promise<void>) => {
          if (buildId === undefined) return;
          try {
            await write(buildId);
          } catch (error) {
            logger.warn({ buildId, err: error }, 'the last error of a build could not be kept');
          }
        };
        try {
          const result = await activity(input);
          if (attempt > 1) await note((id) => Build.clearLastError(id));
          return result;
        } catch (error) {
          if (willBeRepeated(error))
            await note((id) =>
              Build.recordLastError(id, { step, message: messageOf(error), tries: attempt }),
            );
          throw error;
        }
      },
    ]),
  ) as T;
}

function willBeRepeated(error: unknown): boolean {
  return (
    !(error instanceof CancelledFailure) &&
    !(error instanceof ApplicationFailure && error.nonRetryable === true)
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
