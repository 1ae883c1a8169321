import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';

type TicketRow = {
  id: number;
  owner: string;
  title: string;
  description: string;
  bug_id: string;
  current_workflow_step: number;
  status: number;
  created_at: Date;
  updated_at: Date;
};

// As many as Airline's default for a process (AIRLINE_DATABASE_POOL).
const CONNECTIONS = 20;
const COLUMNS =
  'id, owner, title, description, bug_id, current_workflow_step, status, created_at, updated_at';
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

/** Answers about tickets as JSON texts, as Airline's, by named statements and nothing between them and PostgreSQL. */
export type RawTickets = {
  list(limit: number, offset: number): Promise<string>;
  detail(id: number): Promise<string>;
  create(body: Buffer): Promise<{ id: number; json: string }>;
  move(id: number, body: Buffer): Promise<string>;
  close(): Promise<void>;
};

/** Opens the peer's own tables, which bench/api/seed.ts has made. */
export function openRawTickets(databaseUrl: string): RawTickets {
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  return {
    async list(limit, offset) {
      const { rows } = await pool.query<TicketRow & { total_count: number }>({
        name: 'list',
        text: LIST,
        values: [limit, offset],
      });
      const count = rows[0]?.total_count ?? 0;
      const at = (start: number) => `/api/v1/ticket/?limit=${limit}&offset=${start}`;
      return JSON.stringify({
        meta: {
          limit,
          offset,
          total_count: count,
          next: offset + limit < count ? at(offset + limit) : null,
          previous: offset - limit >= 0 ? at(offset - limit) : null,
        },
        objects: rows.map((row) => show(row, 'ticket')),
      });
    },
    async detail(id) {
      const { rows } = await pool.query<TicketRow>({ name: 'detail', text: DETAIL, values: [id] });
      return JSON.stringify(show(only(rows), 'ticket'));
    },
    async create(body) {
      const { owner, title, description, bug_id } = JSON.parse(body.toString()) as TicketRow;
      const { rows } = await pool.query<TicketRow>({
        name: 'create',
        text: CREATE,
        values: [owner, title, description, bug_id],
      });
      const row = only(rows);
      return { id: row.id, json: JSON.stringify(show(row, 'ticket')) };
    },
    async move(id, body) {
      const { current_workflow_step, status } = JSON.parse(body.toString()) as TicketRow;
      const { rows } = await pool.query<TicketRow>({
        name: 'move',
        text: MOVE,
        values: [id, current_workflow_step, status, 'anonymous', randomUUID()],
      });
      return JSON.stringify(show(only(rows), 'updateticketstatus'));
    },
    close: () => pool.end(),
  };
}

function show(row: TicketRow, resource: string) {
  return {
    id: row.id,
    owner: row.owner,
    title: row.title,
    description: row.description,
    bug_id: row.bug_id,
    current_workflow_step: String(row.current_workflow_step),
    status: String(row.status),
    created_at: row.created_at,
    updated_at: row.updated_at,
    resource_uri: `/api/v1/${resource}/${row.id}/`,
  };
}

function only(rows: readonly TicketRow[]): TicketRow {
  const [row] = rows;
  if (!row) throw new Error('there is no such ticket');
  return row;
}
