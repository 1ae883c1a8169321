import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import { ATTEMPT_ENDED, CALLER_GONE } from '../domain/builds/build-workflow.ts';
import type { Failure, FailureClass } from '../domain/builds/failure.ts';
import type { UploadProgress } from '../domain/builds/upload-progress.ts';
import { failureOfActivity } from './activity-failure.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { endedBefore, tooLong } from './failure-texts.ts';

/** Ends the work for a build whose caller is gone, as its cancel URL says. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** Ends a build with a failure from within its work. */
export class BuildEnded extends Error {
  override readonly name = 'BuildEnded';
  readonly failure: Failure;
  /** What an upload said last before it fell silent. */
  readonly lastUpload: UploadProgress | undefined;

  constructor(failure: Failure, lastUpload?: UploadProgress) {
    super(failure.message);
    this.failure = failure;
    this.lastUpload = lastUpload;
  }
}

/**
 * The result of an activity without which a build cannot go on.
 *
 * @param defaultClass the class of the failure where the activity names none
 * @throws BuildEnded where the activity has failed for good, or the attempt had ended before; CallerGone; what it was
 * cancelled with
 */
export async function orEnd<T>(defaultClass: FailureClass, activity: Promise<T>): Promise<T> {
  try {
    return await activity;
  } catch (error) {
    // A local activity fails with the failure itself.
    const cause = error instanceof ActivityFailure ? error.cause : error;
    const type = cause instanceof ApplicationFailure ? cause.type : undefined;
    // Not of the class of the step: a build that is out of time is stopped in the PPA, where a later attempt may build.
    if (type === ATTEMPT_ENDED) throw new BuildEnded(endedBefore());
    if (!(error instanceof ActivityFailure)) throw error;
    if (type === CALLER_GONE) throw new CallerGone();
    if (!isCancellation(error))
      throw new BuildEnded(failureOfActivity(error, defaultClass), lastUploadOf(error));
    throw error;
  }
}

/**
 * As `orEnd`, for an activity that has what is left of the time for the whole build: where that is over, the failure
 * says so.
 *
 * @throws as `orEnd`
 */
export async function orEndInTime<T>(
  attempt: BuildAttempt,
  defaultClass: FailureClass,
  activity: Promise<T>,
): Promise<T> {
  try {
    return await orEnd(defaultClass, activity);
  } catch (error) {
    if (!(error instanceof BuildEnded) || Date.now() < attempt.deadlineMs) throw error;
    const { failure, lastUpload } = error;
    if (failure.class !== defaultClass) throw error;
    // What is built is of the levels before.
    throw new BuildEnded(tooLong(attempt.input.limits, [], failure.message), lastUpload);
  }
}

/** Of what heartbeats, only an upload says anything. */
function lastUploadOf({ cause }: ActivityFailure): UploadProgress | undefined {
  return cause instanceof TimeoutFailure
    ? (cause.lastHeartbeatDetails as UploadProgress | undefined)
    : undefined;
}
