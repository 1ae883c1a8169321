import type { Sequelize, Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { query } from '../sql/query.ts';

const REQUESTED = `
  SELECT * FROM (
    SELECT ticket_id AS "ticketId", NULL AS "landingId" FROM build WHERE ticket_id = ANY($1)
    UNION ALL
    SELECT ticket_id, id FROM landing WHERE ticket_id = ANY($1) AND finished_at IS NULL
  ) AS requested
  ORDER BY "landingId" NULLS FIRST, "ticketId" LIMIT 1`;

const UNDER_WAY = 'SELECT id FROM landing WHERE ticket_id = $1 AND finished_at IS NULL';

/**
 * What was requested of tickets, as the start of a sentence: a build of one, at any time, or a landing that has not
 * ended. Their parts stay as they are then, since the landing has read them. The caller has locked the tickets.
 *
 * @returns undefined where nothing was
 */
export async function requestedOf(
  sequelize: Sequelize,
  ticketIds: readonly number[],
  transaction: Transaction,
): Promise<string | undefined> {
  type Requested = { readonly ticketId: number; readonly landingId: number | null };
  const [found] = await query<Requested>(sequelize, REQUESTED, [ticketIds], transaction);
  if (!found) return undefined;
  const { ticketId, landingId } = found;
  return landingId === null
    ? `A build of ticket ${ticketId} was requested`
    : landingUnderWay(landingId, ticketId);
}

/**
 * Asserts that nothing was requested of tickets. The caller has locked them.
 *
 * @param stays what stays as it is otherwise, as the end of a sentence
 * @throws AirlineError `ticket_under_way`
 */
export async function assertNothingRequested(
  sequelize: Sequelize,
  ticketIds: readonly number[],
  stays: string,
  transaction: Transaction,
): Promise<void> {
  const requested = await requestedOf(sequelize, ticketIds, transaction);
  if (requested !== undefined)
    throw new AirlineError('ticket_under_way', `${requested}, so ${stays}.`);
}

/**
 * Asserts that no landing of a ticket is under way. The caller has locked the ticket.
 *
 * @param stays what stays as it is otherwise, as the end of a sentence
 * @throws AirlineError `ticket_under_way`
 */
export async function assertNoLandingUnderWay(
  sequelize: Sequelize,
  ticketId: number,
  stays: string,
  transaction: Transaction,
): Promise<void> {
  const [found] = await query<{ id: number }>(sequelize, UNDER_WAY, [ticketId], transaction);
  if (found)
    throw new AirlineError(
      'ticket_under_way',
      `${landingUnderWay(found.id, ticketId)}, so ${stays}.`,
    );
}

function landingUnderWay(landingId: number, ticketId: number): string {
  return `Landing ${landingId} of ticket ${ticketId} is under way`;
}
