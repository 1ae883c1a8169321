import type { Sequelize } from 'sequelize';
import { EVENT_TABLES, type EventOwner } from '../sql/event-tables.ts';
import { query } from '../sql/query.ts';

/** Builds or landings of one statement. */
const BATCH = 100;

/** How far the removal has come, in the order of the ends. */
export type RemovedUpTo = { readonly endedAt: string; readonly id: number };
export const NOTHING_REMOVED: RemovedUpTo = { endedAt: '-infinity', id: 0 };

/**
 * Removes the events of the builds or landings that ended before a time, a batch of them after those of an earlier
 * call. The final event of each attempt stays, and so does what nobody has been sent, or what waits for a webhook. What
 * is under way again keeps all.
 *
 * @returns how far it has come; null where there are no more
 */
export async function removeOldEvents(
  sequelize: Sequelize,
  owner: EventOwner,
  before: Date,
  after: RemovedUpTo,
): Promise<RemovedUpTo | null> {
  const { events, key } = EVENT_TABLES[owner];
  const ended = await query<{ endedAt: string; id: number }>(
    sequelize,
    `WITH ended AS (
       SELECT id, finished_at FROM ${owner} WHERE finished_at < $1 AND (finished_at, id) > ($2::timestamptz, $3)
       ORDER BY finished_at, id LIMIT ${BATCH}
     ), removed AS (
       DELETE FROM ${events} one USING ended WHERE one.${key} = ended.id
         AND one.created_at < $1 AND one.published_at IS NOT NULL AND NOT one.body ? 'exit'
         AND NOT EXISTS (
           SELECT FROM webhook_delivery waiting
           WHERE waiting.${key} = one.${key} AND waiting.seq = one.seq AND waiting.state = 'pending'
         )
     )
     SELECT finished_at::text AS "endedAt", id FROM ended ORDER BY finished_at, id`,
    [before, after.endedAt, after.id],
  );
  return ended.at(-1) ?? null;
}
