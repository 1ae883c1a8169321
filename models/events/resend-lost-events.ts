import type { Sequelize } from 'sequelize';
import { ADVISORY_LOCKS } from '../sql/advisory-locks.ts';
import { EVENT_TABLES, type EventOwner } from '../sql/event-tables.ts';
import { query } from '../sql/query.ts';

/** Builds or landings of one statement. Each may have thousands of events, and a statement has its time. */
const BATCH = 100;

/** Those that report to a queue. The events of a landing whose request named none are not messages. */
const OF_QUEUE: Record<EventOwner, string> = {
  build: 'progress_trigger = $1',
  landing: 'progress_trigger = $1 AND is_queue_named',
};

/**
 * Has the events published again that were lost with a queue: those of the attempt, of each build and landing that
 * reports to the queue and goes on, or whose end is not published yet. It begins when nobody sends to the queue any
 * more, and nobody does meanwhile; so none is taken for published that was lost, and none overtakes another.
 *
 * The queue is to be made after this, not before: what makes it and dies has then lost nothing.
 *
 * @param isGone asked then: another process may have made the queue
 */
export async function resendLostEvents(
  sequelize: Sequelize,
  queue: string,
  isGone: () => Promise<boolean>,
): Promise<void> {
  await sequelize.transaction(async (transaction) => {
    const lock = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.progressQueue}, hashtext($1))`;
    await query(sequelize, lock, [queue], transaction);
    if (!(await isGone())) return;
    for (const owner of ['build', 'landing'] as const) {
      const lost = await query<{ id: number; attempt: number }>(
        sequelize,
        lostSql(owner),
        [queue],
        transaction,
      );
      for (let from = 0; from < lost.length; from += BATCH) {
        const batch = lost.slice(from, from + BATCH);
        const since = [batch.map(({ id }) => id), batch.map(({ attempt }) => attempt)];
        await query(sequelize, resendSql(owner), since, transaction);
      }
    }
  });
}

/**
 * Whose events were lost, and from which attempt on. One whose end is not published goes on, as far as its caller
 * knows, though there may be a later one.
 */
function lostSql(owner: EventOwner): string {
  const { events, key } = EVENT_TABLES[owner];
  const ofQueue = `SELECT id, attempt FROM ${owner} WHERE ${OF_QUEUE[owner]}`;
  return `WITH told AS (
       ${ofQueue} AND finished_at IS NULL
       UNION ALL
       ${ofQueue} AND finished_at IS NOT NULL AND id IN (SELECT ${key} FROM ${events} WHERE published_at IS NULL)
     )
     SELECT id, coalesce(
       (SELECT min(attempt) FROM ${events} WHERE ${key} = told.id AND published_at IS NULL), attempt
     ) AS attempt FROM told ORDER BY id`;
}

/** Has the events of some be published again, each from its attempt on. */
function resendSql(owner: EventOwner): string {
  const { events, key } = EVENT_TABLES[owner];
  return `UPDATE ${events} one SET published_at = NULL
     FROM unnest($1::integer[], $2::integer[]) AS lost (id, attempt)
     WHERE one.${key} = lost.id AND one.attempt >= lost.attempt AND one.published_at IS NOT NULL`;
}
