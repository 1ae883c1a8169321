import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import { ERRORS, isErrorCode } from '../domain/errors.ts';
import { ATTEMPT_ENDED } from '../domain/builds/build-workflow.ts';
import { failureOf, type Failure, type FailureClass } from '../domain/builds/failure.ts';
import { stepWords } from '../domain/builds/step-words.ts';

/** The settings that bound one try of the steps whose try is the last one where it takes all of its time. */
const TRY_SETTINGS: Readonly<Record<string, string>> = {
  checkSources: 'AIRLINE_SOURCE_CHECK_MS',
  mergeProposal: 'AIRLINE_SOURCE_CHECK_MS',
};

/** What an activity fails with at last where the PPA's web service does not answer. */
export const PPA_OUTAGES: readonly string[] = ['PpaUnavailableError', 'ppa_unavailable'];
/** As its refusal of a question is named, which may be about our account. */
const PPA_REFUSAL = 'PpaAnswerError';
const NOT_TOLD_HINT =
  "At the last try the PPA's web service did not say whether the PPA takes the upload: retry the build later.";

/** Whether an activity was refused since its attempt had ended before. */
export function isOfEndedAttempt({ cause }: ActivityFailure): boolean {
  return cause instanceof ApplicationFailure && cause.type === ATTEMPT_ENDED;
}

/**
 * The failure that ends a build whose activity has failed for good.
 *
 * @param defaultClass the class where the activity gave no code of the catalogue, so that its tries ran out
 */
export function failureOfActivity(error: ActivityFailure, defaultClass: FailureClass): Failure {
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const { hint, failureClass } = ERRORS[cause.type] as {
      hint: string;
      failureClass?: FailureClass;
    };
    return failureOf(failureClass ?? defaultClass, cause.message, { code: cause.type, hint });
  }
  const step = stepWords(activityType).replace(/^The/, 'the');
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'SCHEDULE_TO_START')
      return failureOf(defaultClass, `no worker took ${step}`);
    const setting = cause.timeoutType === 'START_TO_CLOSE' && TRY_SETTINGS[activityType];
    const lastFault = cause.cause ? `: ${cause.cause.message}` : '';
    const limit = setting ? ` (${setting})` : '';
    return failureOf(
      defaultClass,
      `${step} did not end in time${limit}${lastFault}`,
      hintFor(error),
    );
  }
  return failureOf(
    defaultClass,
    `${step} gave up after its last try: ${cause?.message ?? error.message}`,
    hintFor(error),
  );
}

/** An upload whose last try came no further than its questions says nothing of the upload server. */
function hintFor({ activityType, cause }: ActivityFailure): { hint?: string } {
  const lastFault = cause instanceof TimeoutFailure ? cause.cause : cause;
  const type = lastFault instanceof ApplicationFailure ? (lastFault.type ?? '') : '';
  const isOfWebService = PPA_OUTAGES.includes(type) || type === PPA_REFUSAL;
  return activityType === 'uploadSource' && isOfWebService ? { hint: NOT_TOLD_HINT } : {};
}
