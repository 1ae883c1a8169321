import { migrate } from '../../models/sql/migrate.ts';
import { withClient } from '../with-client.ts';

/** How many tickets a database has. */
export type Tickets = { open: number; closed: number };

/** The two databases: the same open tickets, without and with closed ones beside them. */
export const SIZES = {
  small: { open: 5_000, closed: 0 },
  large: { open: 5_000, closed: 495_000 },
} as const satisfies Record<string, Tickets>;
export type Size = keyof typeof SIZES;

// Old tickets are closed, new ones open: of the open ones, one in 50 is a straggler among the old. The rest is in the
// newest part of the table, where every third ticket is closed already.
const OPEN_TO_A_STRAGGLER = 50;
const OPEN_TO_A_CLOSED = 2;

/** Ids of a database's tickets in random order, the same in every run. */
export type TicketIds = { open: number[]; all: number[] };

/**
 * Makes a database: every migration, the tickets, and the peer's own copy of the tables, `raw_ticket` and
 * `raw_status_change`: the same columns, indexes and rows, but neither triggers nor hashes nor foreign keys.
 */
export async function makeDatabase(url: string, tickets: Tickets): Promise<void> {
  await migrate(url);
  await withClient(url, async (client) => {
    await client.query(insertTickets(tickets));
    await client.query(`
      CREATE TABLE raw_ticket (LIKE ticket INCLUDING ALL);
      INSERT INTO raw_ticket SELECT * FROM ticket;
      CREATE TABLE raw_status_change (LIKE status_change INCLUDING ALL);
      ALTER TABLE raw_status_change DROP COLUMN hash;
      SELECT setval(pg_get_serial_sequence(name, 'id'), (SELECT max(id) FROM ticket))
        FROM unnest(ARRAY['ticket', 'raw_ticket']) name`);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  });
}

/** Reads at most so many ids of each kind. */
export async function readIds(url: string, max: number): Promise<TicketIds> {
  return withClient(url, async (client) => {
    const read = async (condition: string) => {
      const { rows } = await client.query<{ id: number }>(
        `SELECT id FROM ticket WHERE ${condition} ORDER BY hashint4(id), id LIMIT $1`,
        [max],
      );
      return rows.map(({ id }) => id);
    };
    return { open: await read('current_workflow_step < 999'), all: await read('true') };
  });
}

/** The tables of status changes, Airline's and the peer's. */
export type History = 'status_change' | 'raw_status_change';

/** Status changes that a history holds. */
export async function countHistory(url: string, history: History): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${history}`,
    );
    return rows[0]?.count ?? 0;
  });
}

/** Runs one statement, for instance to make a database. */
export async function run(url: string, sql: string): Promise<void> {
  await withClient(url, (client) => client.query(sql));
}

function insertTickets({ open, closed }: Tickets): string {
  const stragglers = closed > 0 ? Math.floor(open / OPEN_TO_A_STRAGGLER) : 0;
  const newOpen = open - stragglers;
  const newOnes = newOpen + Math.min(Math.floor(newOpen / OPEN_TO_A_CLOSED), closed);
  const old = open + closed - newOnes;
  const isStraggler =
    stragglers > 0 ? `id % ${Math.floor(old / stragglers)} = 0 AND id <= ${old}` : 'false';
  const rank = (id: string) => `(${id} - ${old}) * ${newOpen}::bigint / ${newOnes}`;
  return `
    INSERT INTO ticket
      (id, owner, title, description, bug_id, current_workflow_step, status, created_at, updated_at)
    SELECT
      id,
      'developer' || id % 200 || '@example.com',
      'Landing ' || id || ': fix the crash of package-' || id % 3000 || ' on start-up',
      'The service stops when its configuration names a directory that is gone. It should say so and go on '
        || 'with the default. Merge request ' || id || ', reviewed by two.',
      (1000000 + id)::text,
      step,
      CASE WHEN is_open THEN 100 ELSE step END,
      moment, moment + interval '90 minutes'
    FROM generate_series(1, ${open + closed}) id,
      LATERAL (SELECT CASE
        WHEN id > ${old} THEN ${rank('id')} > ${rank('(id - 1)')}
        ELSE ${isStraggler}
      END AS is_open) openness,
      LATERAL (SELECT CASE
        WHEN is_open THEN (ARRAY[100, 200, 300, 400, 500])[1 + id % 5]
        WHEN id % 10 = 0 THEN 999
        ELSE 1000
      END AS step) steps,
      LATERAL (SELECT timestamptz '2024-01-01 00:00:00.123456Z' + id * interval '97 seconds' AS moment) moments
    ORDER BY id`;
}
