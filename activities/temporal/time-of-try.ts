import type { Info } from '@temporalio/activity';

/** A try is the last one where less than this part of its time is left of the time for all of them. */
const LAST_SHARE = 0.2;

/** Whether another try would be refused, or is likely to come after the time for all of them. */
export function isLastTry(info: Info): boolean {
  const { attempt, retryPolicy, startToCloseTimeoutMs } = info;
  return (
    attempt >= (retryPolicy?.maximumAttempts ?? Infinity) ||
    leftOfAllMs(info) < startToCloseTimeoutMs * LAST_SHARE
  );
}

/** Time that a try which begins now has until Temporal ends it, in milliseconds. */
export function timeOfTryMs(info: Info): number {
  return Math.max(0, Math.min(info.startToCloseTimeoutMs, leftOfAllMs(info)));
}

function leftOfAllMs({ scheduledTimestampMs, scheduleToCloseTimeoutMs }: Info): number {
  return scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now();
}
