import type { Client } from 'pg';
import type { Sequelize } from 'sequelize';
import { query } from '../sql/query.ts';

/** What can change; what belongs to a ticket counts as the ticket, and the tests of a landing as the landing. */
export const CHANGED_KINDS = ['ticket', 'build', 'landing'] as const;
export type ChangedKind = (typeof CHANGED_KINDS)[number];

/** A change that was committed. */
type Change = { kind: ChangedKind; id: number };

/** No transaction that notes a change takes as long, and no reader lags as far behind. */
const LIFETIME_MS = 5 * 60_000;
/** More than these in one poll are not told one by one. */
const MAX_NOTICES = 10_000;

/**
 * Transactions become visible in another order than that of their ids. So what is new is told by the snapshots: visible
 * now, and not visible at the poll before.
 */
const NOTICES = `
  SELECT pg_current_snapshot()::text AS snapshot, ARRAY(
    SELECT DISTINCT notice.kind || ' ' || notice.object_id FROM change_notice AS notice
    WHERE notice.xid >= pg_snapshot_xmin($1::pg_snapshot)
      AND NOT pg_visible_in_snapshot(notice.xid, $1::pg_snapshot)
    LIMIT ${MAX_NOTICES + 1}
  ) AS notices`;

/** Reads the notices of changes that the triggers of tickets, builds and landings write, each of them once. */
export type ChangeNotices = {
  /** What was committed since the poll before; null on the first poll, and where there is too much to tell. */
  poll(client: Client): Promise<Change[] | null>;
};

/** Begins at the first poll. A reader serves one connection: with another one it begins anew. */
export function createChangeNotices(): ChangeNotices {
  let before: string | null = null;
  return {
    async poll(client) {
      const { rows } = await client.query<{ snapshot: string; notices: string[] }>({
        name: 'change-notices',
        text: NOTICES,
        values: [before],
      });
      const { snapshot, notices } = rows[0] as (typeof rows)[number];
      const isFirst = before === null;
      before = snapshot;
      if (isFirst || notices.length > MAX_NOTICES) return null;
      return notices.map((notice) => {
        const [kind, id] = notice.split(' ');
        return { kind: kind as ChangedKind, id: Number(id) };
      });
    },
  };
}

/**
 * Removes notices that every reader has seen: those of the last five minutes stay, by the database's clock.
 *
 * @param limit how many at most
 * @returns how many went
 */
export async function removeSeenNotices(sequelize: Sequelize, limit: number): Promise<number> {
  const [{ count } = { count: 0 }] = await query<{ count: number }>(
    sequelize,
    `WITH removed AS (
       DELETE FROM change_notice WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM change_notice
         WHERE noted_at < clock_timestamp() - $1::double precision * interval '1 ms' LIMIT $2
       )) RETURNING 1
     )
     SELECT count(*)::integer AS count FROM removed`,
    [LIFETIME_MS, limit],
  );
  return count;
}
