import type { Sequelize, Transaction } from 'sequelize';
import type { ARTIFACT_IMAGE_KINDS, TICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { query } from '../sql/query.ts';

/** A file in the data store that belongs to a ticket. */
export type TicketFile = {
  name: string;
  url: string;
  type: (typeof TICKET_ARTIFACT_TYPES)[number];
  /** Of an IMAGE. */
  image?: (typeof ARTIFACT_IMAGE_KINDS)[number];
};

const ATTACH = `
  INSERT INTO ticket_artifact (ticket_id, name, reference, type, image)
  SELECT $1, file.name, file.url, file.type, coalesce(file.image, '')
  FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS (name text, url text, type text, image text))
    WITH ORDINALITY AS file (name, url, type, image, place)
  WHERE NOT EXISTS (
    SELECT FROM ticket_artifact held
    WHERE (held.ticket_id, held.type, held.reference) = ($1, file.type, file.url)
  )
  ORDER BY file.place`;

/** Makes files artifacts of a ticket, in their order. One that the ticket has is not attached again. */
export async function attachToTicket(
  sequelize: Sequelize,
  ticketId: number,
  files: readonly TicketFile[],
  transaction?: Transaction,
): Promise<void> {
  await query(sequelize, ATTACH, [ticketId, JSON.stringify(files)], transaction);
}
