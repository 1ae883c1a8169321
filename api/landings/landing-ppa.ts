import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { assertMayBuildIn } from '../../domain/landings/landing-permission.ts';
import { isPpa, parseArchive } from '../../domain/packages/archive.ts';
import {
  DEFAULT_DISTRIBUTION,
  acceptedPpa,
  distributionProblem,
  ppaReference,
  type Ppa,
} from '../../domain/packages/ppa.ts';
import type { Database } from '../../models/database.ts';
import type { LandingRequest } from '../../models/landings/landing.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { refusal } from '../rest/request-problems.ts';
import type { LandingPlace } from './land-request.ts';

/**
 * Where a landing builds: the PPA that the request names, else the one that somebody has dedicated to the ticket, else
 * one of the pool.
 *
 * @returns `ppa` is null where it takes one of the pool; `archive` is its distribution
 * @throws AirlineError `invalid_field` where the PPA is not of the distribution that the request says; `not_landable`,
 * `target_not_allowed` where it may not build in the PPA that the request names, or that is dedicated to the ticket;
 * `not_landable` where it names none, and several are dedicated to the ticket, or none is and the pool has none of the
 * distribution
 */
export async function ppaToLandIn(
  deps: Pick<HandlerDependencies, 'database' | 'landingPolicies'>,
  ticketId: number,
  place: LandingPlace,
  transaction: Transaction,
): Promise<Pick<LandingRequest, 'ppa' | 'archive'>> {
  const { database } = deps;
  const { archive = DEFAULT_DISTRIBUTION, ppa } = place;
  const own = ppa ?? (await dedicatedPpa(database, ticketId, transaction));
  if (own !== undefined) {
    const accepted = acceptedPpa({ ppa: own, archive });
    const problem = distributionProblem(accepted, place.archive);
    if (problem !== undefined)
      throw refusal([{ field: 'archive', code: 'invalid_field', message: problem }]);
    await assertMayLandFrom(deps, accepted, place, transaction);
    return { ppa: own, archive: accepted.distribution };
  }
  if (await database.PoolPpa.hasAnyOf(archive, transaction)) return { ppa: null, archive };
  throw new AirlineError(
    'not_landable',
    `Name the ppa: no PPA is dedicated to ticket ${ticketId}, and the pool has none of ${archive}.`,
  );
}

/**
 * Asserts that a landing may build in the PPA that it names, or that is dedicated to its ticket: it is no target of
 * landings, its own or by a policy, and does not belong to the pool. Nor is it added to that until the transaction
 * ends.
 *
 * @throws AirlineError `not_landable`, `target_not_allowed`
 */
export async function assertMayLandFrom(
  { database, landingPolicies }: Pick<HandlerDependencies, 'database' | 'landingPolicies'>,
  own: Ppa,
  { target, series }: Pick<LandingPlace, 'target' | 'series'>,
  transaction: Transaction,
): Promise<void> {
  const ppa = ppaReference(own);
  if (ppa === target)
    throw new AirlineError(
      'not_landable',
      `${ppa} is the target: what is built there is published before it is tested and approved. Name another ppa.`,
    );
  assertMayBuildIn(landingPolicies, own, series);
  if (await database.PoolPpa.lockShared(own, transaction))
    throw new AirlineError(
      'not_landable',
      `${ppa} belongs to the pool: a landing that names no ppa, of a ticket that has none, takes one that is free.`,
    );
}

/**
 * Asserts that the target of a landing does not belong to the pool, where others build and all is deleted again. Nor is
 * it added to that until the transaction ends.
 *
 * @throws AirlineError `not_landable`
 */
export async function assertMayLandIn(
  { PoolPpa }: Pick<Database, 'PoolPpa'>,
  target: string,
  transaction: Transaction,
): Promise<void> {
  const archive = parseArchive(target);
  if (archive && isPpa(archive) && (await PoolPpa.lockShared(archive, transaction)))
    throw new AirlineError(
      'not_landable',
      `${target} belongs to the pool, and is emptied after each landing: name another target.`,
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
