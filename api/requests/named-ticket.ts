import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';

/**
 * The ticket that a body names by its id.
 *
 * @throws AirlineError `unknown_reference`
 */
export async function readNamedTicket(
  { Ticket }: Pick<Database, 'Ticket'>,
  ticketId: number,
  transaction: Transaction | undefined,
) {
  const ticket = await Ticket.findByPk(ticketId, { transaction: transaction ?? null });
  if (!ticket) throw noSuchTicket(ticketId);
  return ticket;
}

/** The error of a body that names a ticket that is not there. */
export function noSuchTicket(ticketId: number): AirlineError {
  const message = `There is no ticket ${ticketId}.`;
  return new AirlineError('unknown_reference', message, { fields: { ticket_id: [message] } });
}
