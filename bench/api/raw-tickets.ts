import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import {
  DATABASE_CONNECTIONS,
  listJson,
  onlyRow,
  ticketJson,
  type TicketRow,
  type Tickets,
} from './tickets.ts';

const COLUMNS = `id, owner, title, description, bug_id, current_workflow_step, status, failed_at_step,
  failed_subticket_id, failure_reason, created_at, updated_at`;
const LIST = `
  SELECT ${COLUMNS},
    (SELECT count(*)::integer FROM raw_ticket WHERE current_workflow_step < 999) AS total_count
  FROM raw_ticket WHERE current_workflow_step < 999 ORDER BY id LIMIT $1 OFFSET $2`;
const DETAIL = `SELECT ${COLUMNS} FROM raw_ticket WHERE id = $1`;
const CREATE = `
  INSERT INTO raw_ticket (owner, title, description, bug_id) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`;
// `old` and `new` are of PostgreSQL 18: both rows in one statement that reads the ticket once.
const MOVE = `
  WITH moved AS (
    UPDATE raw_ticket SET current_workflow_step = $2, status = $3, history_seq = history_seq + 1,
      revision = revision + 1, updated_at = clock_timestamp()
    WHERE id = $1
    RETURNING old.current_workflow_step AS from_step, old.status AS from_status, new.*
  ), history AS (
    INSERT INTO raw_status_change
      (ticket_id, seq, from_step, to_step, from_status, to_status, actor, reason, request_id, created_at)
    SELECT id, history_seq, from_step, current_workflow_step, from_status, status, $4, '', $5, updated_at
    FROM moved
    WHERE from_step <> current_workflow_step OR from_status <> status
  )
  SELECT ${COLUMNS} FROM moved`;

/** Tickets by named statements on the peer's own tables, which bench/api/seed.ts makes. */
export function openRawTickets(databaseUrl: string): Tickets {
  const pool = new Pool({ connectionString: databaseUrl, max: DATABASE_CONNECTIONS });
  return {
    async list(limit, offset) {
      const { rows } = await pool.query<TicketRow & { total_count: number }>({
        name: 'list',
        text: LIST,
        values: [limit, offset],
      });
      return listJson(rows, { limit, offset, count: rows[0]?.total_count ?? 0 });
    },
    async detail(id) {
      const { rows } = await pool.query<TicketRow>({ name: 'detail', text: DETAIL, values: [id] });
      return ticketJson(onlyRow(rows), 'ticket');
    },
    async create({ owner, title, description, bug_id }) {
      const { rows } = await pool.query<TicketRow>({
        name: 'create',
        text: CREATE,
        values: [owner, title, description, bug_id],
      });
      const row = onlyRow(rows);
      return { id: row.id, json: ticketJson(row, 'ticket') };
    },
    async move(id, { current_workflow_step, status }) {
      const { rows } = await pool.query<TicketRow>({
        name: 'move',
        text: MOVE,
        values: [id, current_workflow_step, status, 'anonymous', randomUUID()],
      });
      return ticketJson(onlyRow(rows), 'updateticketstatus');
    },
    async close() {
      // The pool's own end does not wait until its connections have ended.
      const ended = new Promise<void>((resolve) => {
        let open = pool.totalCount;
        if (open === 0) resolve();
        pool.on('remove', () => --open === 0 && resolve());
      });
      await pool.end();
      await ended;
    },
  };
}
