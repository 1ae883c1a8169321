import { ApplicationFailure } from '@temporalio/activity';
import { ATTEMPT_ENDED } from '../domain/builds/build-workflow.ts';
import type { ActivityDependencies } from './dependencies.ts';

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
 * how it has ended, and another attempt may be under way.
 *
 * @returns makes an activity refuse so: it throws an ApplicationFailure of the type `ATTEMPT_ENDED`, which is not
 * retried. What names no attempt is done
 */
export function unlessEnded({
  database: { Build, Landing },
}: {
  database: {
    Build: Pick<ActivityDependencies['database']['Build'], 'isUnderWay'>;
    Landing: Pick<ActivityDependencies['database']['Landing'], 'isUnderWay'>;
  };
}) {
  async function assertUnderWay({ buildId, landingId, attempt, attemptKey }: OfAttempt) {
    if (attempt === undefined) return;
    if (buildId !== undefined && !(await Build.isUnderWay({ buildId, attempt, attemptKey })))
      throw hasEnded(`build ${buildId}`, attempt);
    if (landingId !== undefined && !(await Landing.isUnderWay({ landingId, attempt, attemptKey })))
      throw hasEnded(`landing ${landingId}`, attempt);
  }

  return <I extends OfAttempt, R>(activity: (input: I) => Promise<R>) =>
    async (input: I & OfAttempt): Promise<R> => {
      await assertUnderWay(input);
      return activity(input);
    };
}

function hasEnded(what: string, attempt: number): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`attempt ${attempt} of ${what} has ended`, ATTEMPT_ENDED);
}
