import { ApplicationFailure, Context } from '@temporalio/activity';
import { ATTEMPT_ENDED } from '../domain/builds/build-workflow.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { heartbeating } from './temporal/heartbeat.ts';

/** The attempt that an activity works for: inputs of older workflows may lack any of it. */
type OfAttempt = {
  buildId?: number | undefined;
  landingId?: number | undefined;
  attempt?: number | undefined;
  attemptKey?: string | undefined;
};

/**
 * Makes an activity refuse to work for an attempt of a build or landing that has ended. Its workflow runs again where
 * an operator resets it, or where Temporal is set back to an earlier time than the database: by then callers were told
 * how it has ended, and another attempt may be under way. It heartbeats while it asks the database.
 *
 * @returns makes an activity refuse so: it throws an ApplicationFailure of the type `ATTEMPT_ENDED`, which is not
 * retried. What names no attempt is done. What the database does not answer is thrown, and nothing is done; with
 * `isDoneUnasked` it is logged, and the activity is done: for one that needs no database else
 */
export function unlessEnded({
  database: { Build, Landing },
  logger,
}: {
  database: {
    Build: Pick<ActivityDependencies['database']['Build'], 'isUnderWay'>;
    Landing: Pick<ActivityDependencies['database']['Landing'], 'isUnderWay'>;
  };
  logger: ActivityDependencies['logger'];
}) {
  /** @returns whose attempt has ended; undefined where none has */
  const findEnded = heartbeating(
    async ({ buildId, landingId, attempt, attemptKey }: OfAttempt): Promise<string | undefined> => {
      if (attempt === undefined) return undefined;
      if (buildId !== undefined && !(await Build.isUnderWay({ buildId, attempt, attemptKey })))
        return `build ${buildId}`;
      if (
        landingId !== undefined &&
        !(await Landing.isUnderWay({ landingId, attempt, attemptKey }))
      )
        return `landing ${landingId}`;
      return undefined;
    },
  );

  async function findEndedOrLog(of: OfAttempt): Promise<string | undefined> {
    try {
      return await findEnded(of);
    } catch (error) {
      Context.current().cancellationSignal.throwIfAborted();
      const { buildId, landingId, attempt } = of;
      logger.warn(
        { buildId, landingId, attempt, err: error },
        'a step is done without knowing whether its attempt has ended',
      );
      return undefined;
    }
  }

  return <I extends OfAttempt, R>(
      activity: (input: I) => Promise<R>,
      { isDoneUnasked = false } = {},
    ) =>
    async (input: I & OfAttempt): Promise<R> => {
      const ended = await (isDoneUnasked ? findEndedOrLog(input) : findEnded(input));
      if (ended !== undefined)
        throw ApplicationFailure.nonRetryable(
          `attempt ${input.attempt} of ${ended} has ended`,
          ATTEMPT_ENDED,
        );
      return activity(input);
    };
}
