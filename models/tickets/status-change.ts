import type { Sequelize, Transaction } from 'sequelize';
import type { WorkflowStep } from '../../domain/tickets/ticket.ts';
import { BoundValues } from '../sql/conditions.ts';
import { query } from '../sql/query.ts';
import { inSnapshot } from '../sql/transactions.ts';

/** One change of a ticket's step or status, or of one of its subtickets'. Triggers write it; nobody changes it. */
export type StatusChange = {
  readonly ticketId: number;
  /** 1, 2, 3 … in the ticket's chain. */
  readonly seq: number;
  /** Null where the ticket itself changed. */
  readonly subticketId: number | null;
  readonly fromStep: WorkflowStep;
  readonly toStep: WorkflowStep;
  readonly fromStatus: number;
  readonly toStatus: number;
  readonly actor: string;
  readonly reason: string;
  readonly requestId: string | null;
  readonly createdAt: Date;
  /** SHA-256 of the change before it in the chain and of this one, in hexadecimal. */
  readonly hash: string;
};

/** A row of a history that is not what was written, or a place where one is missing. */
export type BrokenLink = {
  readonly ticketId: number;
  readonly seq: number;
  /**
   * `added`: behind the chain's end. `unrecorded`: step or status changed before it without a row. `orphaned`: the
   * ticket is gone, its history is not.
   */
  readonly problem: 'altered' | 'removed' | 'added' | 'unrecorded' | 'orphaned';
};

const COLUMNS = `ticket_id AS "ticketId", seq, subticket_id AS "subticketId", from_step AS "fromStep",
  to_step AS "toStep", from_status AS "fromStatus", to_status AS "toStatus", actor, reason, request_id AS "requestId",
  created_at AS "createdAt", encode(hash, 'hex') AS hash`;

/**
 * Reads the history of a ticket or of one subticket, in order.
 *
 * @param of `withSubtickets`: what was changed of its subtickets, too
 * @param after the `seq` to begin after; what comes before it is not counted
 */
export async function readChanges(
  sequelize: Sequelize,
  of: { ticketId: number; withSubtickets?: boolean } | { subticketId: number },
  { after, limit, offset }: { after: number; limit: number; offset: number },
): Promise<{ changes: readonly StatusChange[]; totalCount: number }> {
  const values = new BoundValues();
  // The ticket's own history is of the ticket alone; its chain has its subtickets' changes, too.
  const mine = `${
    'ticketId' in of
      ? `ticket_id = ${values.bind(of.ticketId)}${of.withSubtickets ? '' : ' AND subticket_id IS NULL'}`
      : `subticket_id = ${values.bind(of.subticketId)}`
  } AND seq > ${values.bind(after)}`;
  const text = `SELECT total.count AS "totalCount", page.*
    FROM (SELECT count(*)::integer AS count FROM status_change WHERE ${mine}) total
    LEFT JOIN (
      SELECT ${COLUMNS} FROM status_change WHERE ${mine}
      ORDER BY seq LIMIT ${values.bind(limit)} OFFSET ${values.bind(offset)}
    ) page ON true
    ORDER BY page.seq`;
  type Found = StatusChange & { readonly totalCount: number };
  const rows = await query<Found>(sequelize, text, values.list);
  return {
    changes: rows[0]?.seq === null ? [] : rows,
    totalCount: rows[0]?.totalCount ?? 0,
  };
}

/** @returns who made the latest change of a subticket, undefined where it was never moved */
export async function lastMoverOf(
  sequelize: Sequelize,
  subticketId: number,
  transaction: Transaction,
): Promise<string | undefined> {
  const text = 'SELECT actor FROM status_change WHERE subticket_id = $1 ORDER BY seq DESC LIMIT 1';
  type Change = Pick<StatusChange, 'actor'>;
  const [last] = await query<Change>(sequelize, text, [subticketId], transaction);
  return last?.actor;
}

/** How long a verification may take: every row of the table is read and hashed. */
export const VERIFICATION_TIMEOUT_MS = 3_600_000;

const VERIFICATION = `
  WITH chain AS (
    SELECT c.ticket_id, c.seq, c.hash, c.from_step, c.from_status,
      lag(c.seq, 1, 0) OVER each_ticket AS seq_before,
      status_change_hash(lag(c.hash, 1, ''::bytea) OVER each_ticket, c) AS expected,
      lag(c.to_step) OVER each_part AS step_before,
      lag(c.to_status) OVER each_part AS status_before
    FROM status_change c
    WINDOW each_ticket AS (PARTITION BY c.ticket_id ORDER BY c.seq),
      each_part AS (PARTITION BY c.ticket_id, c.subticket_id ORDER BY c.seq)
  ), last AS (
    SELECT DISTINCT ON (ticket_id) ticket_id, seq, hash FROM status_change ORDER BY ticket_id, seq DESC
  ), last_of_part AS (
    SELECT DISTINCT ON (ticket_id, subticket_id) ticket_id, subticket_id, seq, to_step, to_status
    FROM status_change ORDER BY ticket_id, subticket_id, seq DESC
  ), broken AS (
    SELECT ticket_id, seq_before + 1 AS seq, 'removed' AS problem FROM chain WHERE seq <> seq_before + 1
    UNION ALL
    SELECT c.ticket_id, c.seq, CASE WHEN t.id IS NULL THEN 'orphaned' WHEN c.seq > t.history_seq THEN 'added' ELSE 'altered' END
      FROM chain c LEFT JOIN ticket t ON t.id = c.ticket_id
      WHERE t.id IS NULL OR c.seq > t.history_seq OR (c.seq = c.seq_before + 1 AND c.hash <> c.expected)
    UNION ALL
    SELECT t.id, coalesce(last.seq, 0) + 1, 'removed' FROM ticket t LEFT JOIN last ON last.ticket_id = t.id
      WHERE t.history_seq > coalesce(last.seq, 0)
    UNION ALL
    SELECT t.id, last.seq, 'altered' FROM ticket t JOIN last ON last.ticket_id = t.id
      WHERE last.seq = t.history_seq AND last.hash <> t.history_hash
  ), unrecorded AS (
    SELECT ticket_id, seq FROM chain WHERE (step_before, status_before) <> (from_step, from_status)
    UNION ALL
    SELECT t.id, last.seq + 1 FROM ticket t
      JOIN last_of_part last ON last.ticket_id = t.id AND last.subticket_id IS NULL
      WHERE (t.current_workflow_step, t.status) <> (last.to_step, last.to_status)
    UNION ALL
    SELECT s.ticket_id, last.seq + 1 FROM subticket s
      JOIN last_of_part last ON last.ticket_id = s.ticket_id AND last.subticket_id = s.id
      WHERE (s.current_workflow_step, s.status) <> (last.to_step, last.to_status)
  )
  SELECT DISTINCT ticket_id AS "ticketId", seq, problem FROM (
    SELECT * FROM broken
    UNION ALL
    -- Where a row is missing or altered, what follows it does not fit either.
    SELECT ticket_id, seq, 'unrecorded' FROM unrecorded WHERE ticket_id NOT IN (SELECT ticket_id FROM broken)
  ) found ORDER BY 1, 2, 3 LIMIT $1`;

/**
 * Computes every ticket's chain anew and compares it with what is stored, its end with the ticket's row, and the
 * changes with each other and with where the tickets and subtickets stand.
 *
 * @param limit most broken links to name
 */
export async function verifyChanges(
  sequelize: Sequelize,
  limit: number,
): Promise<{ changes: number; tickets: number; broken: readonly BrokenLink[] }> {
  // A change that is made meanwhile must not look like a broken link.
  return inSnapshot(sequelize, undefined, async (transaction) => {
    await sequelize.query(`SET LOCAL statement_timeout = ${VERIFICATION_TIMEOUT_MS}`, {
      transaction,
    });
    const [counts = { changes: 0, tickets: 0 }] = await query<{ changes: number; tickets: number }>(
      sequelize,
      'SELECT count(*)::integer AS changes, count(DISTINCT ticket_id)::integer AS tickets FROM status_change',
      [],
      transaction,
    );
    const broken = await query<BrokenLink>(sequelize, VERIFICATION, [limit], transaction);
    return { ...counts, broken };
  });
}
