import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import { ERRORS, isErrorCode } from '../domain/errors.ts';
import { failureOf, type Failure, type FailureClass } from '../domain/builds/failure.ts';

/**
 * The failure that ends a build whose activity has failed for good.
 *
 * @param defaultClass the class where the activity gave no code of the catalogue, so that its tries ran out
 */
export function failureOfActivity(error: ActivityFailure, defaultClass: FailureClass): Failure {
  const { cause } = error;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const { hint, failureClass } = ERRORS[cause.type] as {
      hint: string;
      failureClass?: FailureClass;
    };
    return failureOf(failureClass ?? defaultClass, cause.message, { code: cause.type, hint });
  }
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'SCHEDULE_TO_START')
      return failureOf(defaultClass, `no worker took ${error.activityType}`);
    const lastFault = cause.cause ? `: ${cause.cause.message}` : '';
    return failureOf(defaultClass, `${error.activityType} did not end in time${lastFault}`);
  }
  return failureOf(
    defaultClass,
    `${error.activityType} gave up after its last try: ${cause?.message ?? error.message}`,
  );
}
