import type { Info } from '@temporalio/activity';

/** A try is the last one where the next would have less than this part of its time. */
const LAST_SHARE = 0.2;

/** Whether another try would be refused, or would come after nearly all of the time for all: ask as one ends. */
export function isLastTry(info: Info): boolean {
  const { attempt, retryPolicy, startToCloseTimeoutMs } = info;
  return (
    attempt >= (retryPolicy?.maximumAttempts ?? Infinity) ||
    leftOfAllMs(info) < pauseMs(info) + startToCloseTimeoutMs * LAST_SHARE
  );
}

/** Time that a try which begins now has until Temporal ends it, in milliseconds. */
export function timeOfTryMs(info: Info): number {
  return Math.min(info.startToCloseTimeoutMs, leftOfAllMs(info));
}

/** What is left of the time for all tries, in milliseconds; Infinity where none is set. */
export function leftOfAllMs({ scheduledTimestampMs, scheduleToCloseTimeoutMs }: Info): number {
  if (!scheduleToCloseTimeoutMs) return Infinity;
  return Math.max(scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now(), 0);
}

/** How long Temporal waits after this try. */
function pauseMs({ attempt, retryPolicy = {} }: Info): number {
  // What the server says of these is in milliseconds.
  const initialMs = Number(retryPolicy.initialInterval ?? 0);
  const longestMs = Number(retryPolicy.maximumInterval ?? Infinity);
  return Math.min(initialMs * (retryPolicy.backoffCoefficient ?? 1) ** (attempt - 1), longestMs);
}
