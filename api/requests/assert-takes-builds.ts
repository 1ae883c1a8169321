import type { Transaction } from 'sequelize';
import type { Database } from '../../models/database.ts';
import { assertNotComplete } from './assert-not-complete.ts';
import { noSuchTicket } from './named-ticket.ts';

/**
 * Asserts that a ticket may be built: that it is there, and not Complete. It stays so until the transaction ends.
 *
 * @throws AirlineError `unknown_reference`, `ticket_complete`
 */
export async function assertTakesBuilds(
  { Ticket }: Pick<Database, 'Ticket'>,
  ticketId: number,
  transaction: Transaction,
): Promise<void> {
  const ticket = await Ticket.lockShared(ticketId, transaction);
  if (!ticket) throw noSuchTicket(ticketId);
  assertNotComplete(ticket);
}
