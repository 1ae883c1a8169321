import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { acceptedPpa, ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import type { Database } from '../../models/database.ts';
import type { LandingPlace } from './land-request.ts';

/**
 * Where a landing builds: the PPA that the request names, else the one that somebody has dedicated to the ticket, else
 * one of the pool.
 *
 * @returns null where it takes one of the pool
 * @throws AirlineError `not_landable` where the PPA that the request names, or that is dedicated to the ticket, belongs
 * to the pool; where it names none, and several are dedicated to the ticket, or none is and the pool has none of the
 * distribution
 */
export async function ppaToLandIn(
  database: Database,
  ticketId: number,
  { ppa, archive }: LandingPlace,
  transaction: Transaction,
): Promise<string | null> {
  const own = ppa ?? (await dedicatedPpa(database, ticketId, transaction));
  if (own !== undefined) {
    await assertNotPooled(database, acceptedPpa({ ppa: own, archive }), transaction);
    return own;
  }
  if (await database.PoolPpa.hasAnyOf(archive, transaction)) return null;
  throw new AirlineError(
    'not_landable',
    `Name the ppa: no PPA is dedicated to ticket ${ticketId}, and the pool has none of ${archive}.`,
  );
}

/**
 * Asserts that the PPA that a landing names for itself does not belong to the pool.
 *
 * @throws AirlineError `not_landable`
 */
export async function assertNotPooled(
  { PoolPpa }: Pick<Database, 'PoolPpa'>,
  own: Ppa,
  transaction: Transaction,
): Promise<void> {
  if (await PoolPpa.lockShared(own, transaction))
    throw new AirlineError(
      'not_landable',
      `${ppaReference(own)} belongs to the pool: a landing that names no ppa, of a ticket that has none, takes one that is free.`,
    );
}

/** @returns undefined where none is @throws AirlineError `not_landable` where several are */
async function dedicatedPpa(
  { TicketPpa }: Pick<Database, 'TicketPpa'>,
  ticketId: number,
  transaction: Transaction,
): Promise<string | undefined> {
  const [first, second] = await TicketPpa.findAll({
    where: { ticketId, leaseId: null },
    limit: 2,
    transaction,
  });
  if (second)
    throw new AirlineError(
      'not_landable',
      `Name the ppa: more than one PPA is dedicated to ticket ${ticketId}.`,
    );
  return first?.ppa;
}
