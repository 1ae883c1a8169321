import type { Sequelize } from 'sequelize';
import { ADVISORY_LOCKS } from '../sql/advisory-locks.ts';
import { EVENT_TABLES, type EventOwner } from '../sql/event-tables.ts';
import { query } from '../sql/query.ts';

/** Builds or landings of one statement. */
const BATCH = 100;

/** Messages that a queue is not sent any more. */
export type GivenUp = {
  readonly queue: string;
  /** Of the builds or landings that they tell of. */
  readonly ids: number[];
  readonly events: number;
};

/**
 * Gives up the messages of a batch of the builds or landings that ended long ago: they count as published. The events
 * stay. What is being published just now is passed over.
 *
 * @param ageMs time since the end, by the database's clock
 * @returns what was given up, by queue; empty where there is no more
 */
export async function giveUpEvents(
  sequelize: Sequelize,
  owner: EventOwner,
  ageMs: number,
): Promise<GivenUp[]> {
  const { events, key, lock } = EVENT_TABLES[owner];
  // The locks of a publisher, in its order.
  return query<GivenUp>(
    sequelize,
    `WITH late AS MATERIALIZED (
       SELECT id, progress_trigger AS queue FROM ${owner}
       WHERE finished_at < now() - $1 * interval '1 ms'
         AND id IN (SELECT ${key} FROM ${events} WHERE published_at IS NULL)
       ORDER BY id LIMIT ${BATCH}
     ), own AS MATERIALIZED (
       SELECT id, queue FROM late
       WHERE CASE WHEN pg_try_advisory_xact_lock_shared(${ADVISORY_LOCKS.progressQueue}, hashtext(queue))
         THEN pg_try_advisory_xact_lock(${lock}, id) ELSE false END
     ), given_up AS (
       UPDATE ${events} one SET published_at = now() FROM own
       WHERE one.${key} = own.id AND one.published_at IS NULL RETURNING own.queue, own.id
     )
     SELECT queue, array_agg(DISTINCT id ORDER BY id) AS ids, count(*)::integer AS events
     FROM given_up GROUP BY queue ORDER BY queue`,
    [ageMs],
  );
}
