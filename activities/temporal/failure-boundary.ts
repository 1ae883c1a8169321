import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { AirlineError } from '../../domain/errors.ts';
import { PpaUnavailableError } from '../../ppa/client.ts';

type Activity = (input: never) => Promise<unknown>;

/**
 * Wraps activities so that Temporal understands what they throw: an error of the catalogue becomes a
 * non-retryable failure whose type is the code; a PPA that asks for a pause gets it, or half of the activity's time where
 * that is less, so that there is another try; all else is retried.
 */
export function atBoundary<T extends Record<string, Activity>>(activities: T): T {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      async (input: never) => {
        try {
          return await activity(input);
        } catch (error) {
          throw asFailure(error);
        }
      },
    ]),
  ) as T;
}

function asFailure(error: unknown): unknown {
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
      nextRetryDelay: Math.min(error.retryAfterMs, remainingMs() / 2),
      cause: error,
    });
  return error;
}

/** What the activity has left for all its tries. */
function remainingMs(): number {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = Context.current().info;
  if (!scheduleToCloseTimeoutMs) return Infinity;
  return Math.max(scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now(), 0);
}
