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
  if (ticket) return ticket;
  const message = `There is no ticket ${ticketId}.`;
  throw new AirlineError('unknown_reference', message, { fields: { ticket_id: [message] } });
}
