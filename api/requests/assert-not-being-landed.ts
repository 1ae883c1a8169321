import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';

/**
 * Asserts that no landing of a ticket is under way: it lands the sources that there were when it was requested. The
 * caller has locked the ticket.
 *
 * @throws AirlineError `conflict`
 */
export async function assertNotBeingLanded(
  { Landing }: Pick<Database, 'Landing'>,
  ticketId: number,
  transaction: Transaction,
): Promise<void> {
  const landing = await Landing.findOne({ where: { ticketId, finishedAt: null }, transaction });
  if (landing)
    throw new AirlineError(
      'conflict',
      `Landing ${landing.id} lands ticket ${ticketId}: build its merge proposal again when that has ended.`,
    );
}
