import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import type {
  ActivityInboundCallsInterceptor,
  ActivityInterceptorsFactory,
} from '@temporalio/worker';
import { buildIdOfWorkflow } from '../../domain/builds/build-workflow.ts';
import { AirlineError } from '../../domain/errors.ts';
import { PpaUnavailableError } from '../../ppa/web-service.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { leftOfAllMs } from './time-of-try.ts';

/**
 * Goes around every activity of a worker.
 *
 * It makes Temporal understand what an activity throws: an error of the catalogue becomes a non-retryable failure whose
 * type is the code; a PPA that asks for a pause gets it, or half of the activity's time where that is less, so that
 * there is another try; all else is retried.
 *
 * It makes a build that cannot get on say so on its row at once, and why: a failed try that will be repeated is noted
 * as the build's last error, and a later success takes the note back. A note that cannot be written changes nothing
 * else.
 */
export function activityInterceptor({
  database: { Build },
  logger,
}: {
  database: Pick<ActivityDependencies['database'], 'Build'>;
  logger: ActivityDependencies['logger'];
}): ActivityInterceptorsFactory {
  return ({ info }) => {
    const { attempt, activityType: step } = info;
    const note = async (buildId: number | undefined, write: (id: number) => Promise<void>) => {
      if (buildId === undefined) return;
      try {
        await write(buildId);
      } catch (error) {
        logger.warn({ buildId, err: error }, 'the last error of a build could not be kept');
      }
    };
    const inbound: ActivityInboundCallsInterceptor = {
      async execute(input, next) {
        const buildId = buildIdOf(input.args, info);
        try {
          const result = await next(input);
          if (attempt > 1) await note(buildId, (id) => Build.clearLastError(id));
          return result;
        } catch (error) {
          const failure = asFailure(error, info);
          if (willBeRepeated(failure))
            await note(buildId, (id) =>
              Build.recordLastError(id, { step, message: messageOf(failure), tries: attempt }),
            );
          throw failure;
        }
      },
    };
    return { inbound };
  };
}

/** The build that an activity works for; its workflow's id names it where an older workflow gave no `buildId`. */
export function buildIdOf(
  [input]: readonly unknown[],
  { workflowExecution }: Info,
): number | undefined {
  if (typeof input === 'object' && input !== null && 'buildId' in input)
    if (typeof input.buildId === 'number') return input.buildId;
  return buildIdOfWorkflow(workflowExecution?.workflowId ?? '');
}

function asFailure(error: unknown, info: Info): unknown {
  if (error instanceof AirlineError)
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: true,
      cause: error,
    });
  if (error instanceof PpaUnavailableError && error.retryAfterMs !== undefined)
    return ApplicationFailure.create({
      type: 'ppa_unavailable',
      message: error.message,
      nextRetryDelay: Math.min(error.retryAfterMs, leftOfAllMs(info) / 2),
      cause: error,
    });
  return error;
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
