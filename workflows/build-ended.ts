import { ActivityFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { Failure, FailureClass } from '../domain/failure.ts';
import { failureOfActivity } from './activity-failure.ts';

/** Ends a build with a failure from within its work. */
export class BuildEnded extends Error {
  override readonly name = 'BuildEnded';
  readonly failure: Failure;
  /** What it did is not known: no try of it said how it ended. */
  readonly isUnclear: boolean;

  constructor(failure: Failure, { isUnclear = false } = {}) {
    super(failure.message);
    this.failure = failure;
    this.isUnclear = isUnclear;
  }
}

/**
 * The result of an activity without which a build cannot go on.
 *
 * @param otherwise the class of the failure where the activity names none
 * @throws BuildEnded where the activity has failed for good; what it was cancelled with
 */
export async function orEnd<T>(otherwise: FailureClass, activity: Promise<T>): Promise<T> {
  try {
    return await activity;
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error))
      throw new BuildEnded(failureOfActivity(error, otherwise), {
        isUnclear: error.cause instanceof TimeoutFailure,
      });
    throw error;
  }
}
