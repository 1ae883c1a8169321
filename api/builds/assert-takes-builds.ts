import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { COMPLETE } from '../../domain/ticket.ts';
import type { Database } from '../../models/database.ts';
import { readNamedTicket } from './named-ticket.ts';

/**
 * Asserts that a ticket may be built: that it is there, and not Complete.
 *
 * @throws AirlineError `unknown_reference`, `ticket_complete`
 */
export async function assertTakesBuilds(
  database: Pick<Database, 'Ticket'>,
  ticketId: number,
  transaction: Transaction | undefined,
): Promise<void> {
  const ticket = await readNamedTicket(database, ticketId, transaction);
  if (ticket.currentWorkflowStep === COMPLETE)
    throw new AirlineError('ticket_complete', `Ticket ${ticketId} is Complete.`);
}
