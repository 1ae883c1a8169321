import { Op, type Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference, readPpa } from '../../domain/ppa.ts';
import type { Database } from '../../models/database.ts';
import type { LandingPlace } from './land-request.ts';

/**
 * Where a landing builds: the PPA that the request names, else the one that somebody has dedicated to the ticket, else one of
 * the pool.
 *
 * @returns null where it takes one of the pool
 * @throws AirlineError `not_landable` where the request names a PPA of the pool; where it names none, and several are
 *   dedicated to the ticket, or none is and the pool has none of the distribution
 */
export async function ppaToLandIn(
  { PoolPpa, TicketPpa }: Database,
  ticketId: number,
  { ppa, archive: distribution }: LandingPlace,
  transaction: Transaction,
): Promise<string | null> {
  const pool = await PoolPpa.findAll({
    where: { distribution, state: { [Op.ne]: 'retired' } },
    transaction,
  });
  if (ppa !== undefined) {
    const named = readPpa(ppa, distribution);
    if (named && pool.some((one) => one.ppa === ppaReference(named)))
      throw new AirlineError(
        'not_landable',
        `${ppaReference(named)} belongs to the pool: leave out the ppa, and the landing takes one that is free.`,
      );
    return ppa;
  }
  const [first, second] = await TicketPpa.findAll({
    where: { ticketId, leaseId: null },
    limit: 2,
    transaction,
  });
  if (first && !second) return first.ppa;
  if (!first && pool.length > 0) return null;
  const why = first
    ? `more than one PPA is dedicated to ticket ${ticketId}`
    : `no PPA is dedicated to ticket ${ticketId}, and the pool has none of ${distribution}`;
  throw new AirlineError('not_landable', `Name the ppa: ${why}.`);
}
