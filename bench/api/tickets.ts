import { failedPart, type WorkflowStep } from '../../domain/tickets/ticket.ts';

/** What a server without Airline does with tickets: it answers the JSON texts that Airline answers. */
export type Tickets = {
  list(limit: number, offset: number): Promise<string>;
  detail(id: number): Promise<string>;
  create(ticket: NewTicket): Promise<{ id: number; json: string }>;
  /** Changes step and status; a change leaves a row of history. */
  move(id: number, to: Move): Promise<string>;
  close(): Promise<void>;
};

export type NewTicket = { owner: string; title: string; description: string; bug_id: string };
export type Move = { current_workflow_step: number; status: number };

export type TicketRow = NewTicket &
  Move & {
    id: number;
    failed_at_step: WorkflowStep | null;
    failed_subticket_id: number | null;
    failure_reason: string | null;
    created_at: Date;
    updated_at: Date;
  };

/** Connections to PostgreSQL: as many as Airline's default for a process (AIRLINE_DATABASE_POOL). */
export const DATABASE_CONNECTIONS = 20;

/** A page of the list, as Airline shows it. */
export function listJson(
  rows: readonly TicketRow[],
  { limit, offset, count }: { limit: number; offset: number; count: number },
): string {
  const at = (start: number) => `/api/v1/ticket/?limit=${limit}&offset=${start}`;
  return JSON.stringify({
    meta: {
      limit,
      offset,
      total_count: count,
      next: offset + limit < count ? at(offset + limit) : null,
      previous: offset - limit >= 0 ? at(offset - limit) : null,
    },
    objects: rows.map((row) => serialize(row, 'ticket')),
  });
}

/** One ticket, as Airline's resource of that name shows it. */
export function ticketJson(row: TicketRow, resource: 'ticket' | 'updateticketstatus'): string {
  return JSON.stringify(serialize(row, resource));
}

/** The only row, or an error: the load asks for tickets that exist. */
export function onlyRow<T>(rows: readonly (T | null | undefined)[]): T {
  const [row] = rows;
  if (!row) throw new Error('there is no such ticket');
  return row;
}

function serialize(row: TicketRow, resource: string) {
  return {
    id: row.id,
    owner: row.owner,
    title: row.title,
    description: row.description,
    bug_id: row.bug_id,
    current_workflow_step: String(row.current_workflow_step),
    status: String(row.status),
    failed_at_step: row.failed_at_step === null ? null : String(row.failed_at_step),
    failure_reason: row.failure_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
    failed_part: failedPart(row.failed_at_step, row.failed_subticket_id),
    failed_subticket:
      row.failed_subticket_id === null ? null : `/api/v1/subticket/${row.failed_subticket_id}/`,
    resource_uri: `/api/v1/${resource}/${row.id}/`,
  };
}
