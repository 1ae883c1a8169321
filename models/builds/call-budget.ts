import type { Sequelize } from 'sequelize';
import { query } from '../sql/query.ts';

/** How many calls may be made. */
export type CallRate = {
  perSecond: number;
  /** A call that would have to wait for longer is refused. */
  maxWaitMs: number;
  /** Time for one call: a web service that did not answer is tried with one call at a time. */
  callMs: number;
};

/** Calls that fail one after the other before the rest of them wait. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** Calls that may be made at once after a quiet time, in seconds of the rate. */
const BURST_SECONDS = 5;

/** A turn that was taken, or what keeps the call from it: both in ms. */
type Turn =
  { waitMs: number; isRecovering: boolean } | { refusedMs: number; why: 'rate' | 'closed' };

/** How many calls were made and failed, and until when the web service is left alone. */
export type CallCounts = { calls: number; failedCalls: number; closedUntil: Date | null };

// What has come in since the last turn, and one less. Where the database's clock was set back since, it is what comes
// in during that time: calls must not wait until the clock is there again.
const TOKENS = `least(tokens + abs(extract(epoch FROM clock_timestamp() - refilled_at))::double precision * $1::double precision,
  $1 * ${BURST_SECONDS}) - 1`;

// A pause that began in time to come is of a clock that was set back since.
const IS_OPEN =
  '(closed_until IS NULL OR closed_until <= clock_timestamp() OR coalesce(closed_at > clock_timestamp(), false))';

/**
 * Takes the turn of one call: a bucket of tokens that all workers share. A call that comes too early gets the time at
 * which its token is there. After a pause, one call tries whether the web service answers; the others wait for it.
 */
export async function takeTurn(sequelize: Sequelize, rate: CallRate): Promise<Turn> {
  const { perSecond, maxWaitMs, callMs } = rate;
  const [taken] = await query<{ tokens: number; is_recovering: boolean }>(
    sequelize,
    `UPDATE call_budget SET tokens = ${TOKENS}, refilled_at = clock_timestamp(), calls = calls + 1,
       is_probing = pauses_in_a_row > 0, closed_at = clock_timestamp(),
       closed_until = CASE WHEN pauses_in_a_row > 0
         THEN clock_timestamp() + $3::double precision * interval '1 ms' END
     WHERE ${IS_OPEN}
       AND ${TOKENS} > -$1 * $2::double precision / 1000
     RETURNING tokens, failures_in_a_row + pauses_in_a_row > 0 AS is_recovering`,
    [perSecond, maxWaitMs, callMs],
  );
  if (taken)
    return {
      waitMs: Math.max(0, (-taken.tokens / perSecond) * 1_000),
      isRecovering: taken.is_recovering,
    };
  const [row] = await query<{ closed_ms: number | null }>(
    sequelize,
    'SELECT (extract(epoch FROM closed_until - clock_timestamp()) * 1000)::double precision AS closed_ms FROM call_budget',
  );
  const closedMs = row?.closed_ms ?? 0;
  return closedMs > 0
    ? { refusedMs: closedMs, why: 'closed' }
    : { refusedMs: maxWaitMs, why: 'rate' };
}

/**
 * Takes the turn of a call that nobody waits for: only while more than half of what may be called at once is left, and
 * nothing has failed lately.
 *
 * @returns false where it is for others
 */
export async function takeSpareTurn(sequelize: Sequelize, perSecond: number): Promise<boolean> {
  const taken = await query(
    sequelize,
    `UPDATE call_budget SET tokens = ${TOKENS}, refilled_at = clock_timestamp(), calls = calls + 1
     WHERE ${IS_OPEN}
       AND failures_in_a_row = 0 AND pauses_in_a_row = 0
       AND ${TOKENS} >= $1 * ${BURST_SECONDS / 2}
     RETURNING true`,
    [perSecond],
  );
  return taken.length > 0;
}

/** Keeps that the web service answers. A pause that it has asked for goes on. */
export async function markAnswered(sequelize: Sequelize): Promise<void> {
  await query(
    sequelize,
    `UPDATE call_budget SET failures_in_a_row = 0, pauses_in_a_row = 0, is_probing = false,
       closed_until = CASE WHEN pauses_in_a_row = 0 THEN closed_until END
     WHERE failures_in_a_row > 0 OR pauses_in_a_row > 0`,
  );
}

/**
 * Keeps that a call has failed. After many in a row, and again after the call that tries it, the web service is left
 * alone, each time for longer. What was under way when a pause began, and fails in it, adds nothing.
 */
export async function markFailed(sequelize: Sequelize): Promise<void> {
  await query(
    sequelize,
    `UPDATE call_budget SET failed_calls = failed_calls + 1,
       failures_in_a_row = failures_in_a_row + CASE WHEN is_paused THEN 0 ELSE 1 END,
       pauses_in_a_row = pauses_in_a_row + CASE WHEN begins THEN 1 ELSE 0 END,
       is_probing = is_probing AND NOT begins,
       closed_at = CASE WHEN begins THEN clock_timestamp() ELSE closed_at END,
       closed_until = CASE WHEN begins
         THEN clock_timestamp() + least(${MAX_PAUSE_MS}, ${FIRST_PAUSE_MS} * 2 ^ least(pauses_in_a_row, 10)) * interval '1 ms'
         ELSE closed_until END
     FROM (
       SELECT NOT ${IS_OPEN} AND NOT is_probing AS is_paused,
         is_probing OR (${IS_OPEN} AND failures_in_a_row + 1 >= ${MAX_FAILURES}) AS begins
       FROM call_budget FOR UPDATE
     ) state`,
  );
}

/** Keeps that the web service asks all calls for a pause. */
export async function pauseCalls(sequelize: Sequelize, pauseMs: number): Promise<void> {
  await query(
    sequelize,
    `UPDATE call_budget SET failed_calls = failed_calls + 1,
       closed_at = clock_timestamp(),
       closed_until = greatest(CASE WHEN NOT ${IS_OPEN} THEN closed_until END,
         clock_timestamp() + $1::double precision * interval '1 ms')`,
    [pauseMs],
  );
}

/** What was called since the database was made. */
export async function countCalls(sequelize: Sequelize): Promise<CallCounts> {
  const [row] = await query<{ calls: number; failed: number; closed_until: Date | null }>(
    sequelize,
    `SELECT calls, failed_calls AS failed, CASE WHEN NOT ${IS_OPEN} THEN closed_until END AS closed_until
     FROM call_budget`,
  );
  return {
    calls: row?.calls ?? 0,
    failedCalls: row?.failed ?? 0,
    closedUntil: row?.closed_until ?? null,
  };
}

/**
 * How long a call that comes now would wait for its turn, in ms: above 0, more calls are wanted than are allowed.
 *
 * @param perSecond calls that may be made in a second
 */
export async function readCallWait(sequelize: Sequelize, perSecond: number): Promise<number> {
  const [row] = await query<{ tokens: number }>(
    sequelize,
    `SELECT ${TOKENS} AS tokens FROM call_budget`,
    [perSecond],
  );
  return Math.round((Math.max(0, -(row?.tokens ?? 0)) / perSecond) * 1_000);
}
