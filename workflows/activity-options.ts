import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** A step that may take long heartbeats every few seconds; this long without one means that its worker is gone. */
export const HEARTBEAT_MS = 30_000;

/** Tries again, after at most a minute, for as long as the step has time. */
export const TRANSIENT_FAULTS = {
  initialInterval: 1_000,
  backoffCoefficient: 2,
  maximumInterval: 60_000,
};

/** Time for a question to the PPA. One that is asked as time ends gets so much all the same: it is the last. */
export const ASK_MS = 120_000;
/** Time for many questions of one step. */
export const ASK_ALL_MS = 3_600_000;

// The database may be unavailable for long; a report outlasts that, but not for ever (the last: DATABASE_AWAY_MS).
const ROWS_MS = 7 * 86_400_000;
const ROWS_ONCE_MS = 15_000;
// Longer waits are timers: a workflow task that is held all the time grows the history every few seconds.
const ROWS_HELD_MS = 10_000;
// A wait by a timer is six events, of 51,200 that a history may have: at two minutes they last for all of the time.
const ROWS_RETRY_MS = 120_000;

/**
 * Steps that read or write rows and do no more: a local activity costs one history event where a normal one costs six.
 *
 * @param summary for Temporal's UI
 * @param waitedMs of its time, how much it has waited already; it gets a try all the same
 */
export const rowActivities = (summary: string, waitedMs = 0) =>
  proxyLocalActivities<Activities>({
    summary,
    scheduleToCloseTimeout: Math.max(ROWS_MS - waitedMs, ROWS_ONCE_MS),
    startToCloseTimeout: ROWS_ONCE_MS,
    localRetryThreshold: ROWS_HELD_MS,
    retry: { ...TRANSIENT_FAULTS, maximumInterval: ROWS_RETRY_MS },
  });
