import { literal, type Transaction } from 'sequelize';
import type { Database } from '../database.ts';

type Computed = [ReturnType<typeof literal>, string];

/**
 * What a subticket stands for: an upload with its package, a merge proposal, or both once a proposal's source is made.
 */
const SUBJECT = [
  { association: 'sourcePackageUpload', include: ['sourcePackage'] },
  'mergeProposal',
];

/** Whether there is anything to read of what most tickets have none of: it saves four statements. */
const LINKED: Computed[] = [
  [
    literal(
      ['reference', 'owner', 'ppa', 'test_suite']
        .map((what) => `EXISTS (SELECT FROM ticket_${what} WHERE ticket_id = "Ticket"."id")`)
        .join(' OR '),
    ),
    'hasLinks',
  ],
];

const OWN_PARTS = ['build', 'subticket', 'ticket_artifact', 'ticket_reference', 'ticket_ppa'];

/** What rows of the ticket refer to is nested in each of them, however many refer to the same. */
const NESTED_PARTS = [
  'subticket own JOIN subticket_artifact part ON part.subticket_id = own.id',
  'subticket own JOIN merge_proposal part ON part.id = own.merge_proposal_id',
  'subticket own JOIN source_package_upload part ON part.id = own.source_package_upload_id',
  `subticket own JOIN source_package_upload upload ON upload.id = own.source_package_upload_id
    JOIN source_package part ON part.id = upload.source_package_id`,
  'ticket_owner own JOIN person part ON part.id = own.person_id',
  'ticket_test_suite own JOIN test_suite part ON part.id = own.test_suite_id',
];

/** How large its parts are together, some of which have no bound of their own. */
const PARTS: Computed[] = [
  [
    literal(
      [
        ...OWN_PARTS.map((table) => sizeOf(`${table} part WHERE part.ticket_id = "Ticket"."id"`)),
        ...NESTED_PARTS.map((parts) => sizeOf(`${parts} WHERE own.ticket_id = "Ticket"."id"`)),
      ].join(' + '),
    ),
    'partsBytes',
  ],
];

function sizeOf(parts: string): string {
  return `(SELECT coalesce(sum(octet_length(part::text)), 0) FROM ${parts})`;
}

/**
 * A ticket, and what is to be known before the rest of it is read.
 *
 * @returns `hasLinks`: whether `readTicketLinks` finds any; `partsBytes`: how large its parts are together. Null where
 *   there is no such ticket
 */
export async function readMeasuredTicket(
  { Ticket }: Pick<Database, 'Ticket'>,
  id: number,
  transaction: Transaction,
) {
  const attributes = { include: [...LINKED, ...PARTS] };
  const ticket = await Ticket.findByPk(id, { attributes, transaction });
  return (
    ticket && {
      ticket,
      hasLinks: ticket.get('hasLinks') === true,
      partsBytes: Number(ticket.get('partsBytes')),
    }
  );
}

/**
 * What belongs to a ticket: its artifacts, its builds, and its subtickets with what they stand for and their artifacts.
 *
 * @returns `artifactsBySubticket`: by the id of a subticket, without those that have none
 */
export async function readTicketParts(
  { TicketArtifact, Build, Subticket, SubticketArtifact }: Database,
  ticketId: number,
  transaction: Transaction,
) {
  // One after the other: they share a connection.
  const ofTicket = { where: { ticketId }, order: ['id'], transaction };
  const artifacts = await TicketArtifact.findAll(ofTicket);
  const builds = await Build.findAll(ofTicket);
  const subtickets = await Subticket.findAll({ ...ofTicket, include: SUBJECT });
  const subticketArtifacts = await SubticketArtifact.findAll({
    where: { subticketId: subtickets.map(({ id }) => id) },
    order: ['id'],
    transaction,
  });
  const artifactsBySubticket = new Map<number, typeof subticketArtifacts>();
  for (const one of subticketArtifacts) {
    const before = artifactsBySubticket.get(one.subticketId);
    if (before) before.push(one);
    else artifactsBySubticket.set(one.subticketId, [one]);
  }
  return { artifacts, builds, subtickets, artifactsBySubticket };
}

/** What few tickets have: references, owners with their persons, PPAs, and suites. */
export async function readTicketLinks(
  { TicketReference, TicketOwner, TicketPpa, TicketTestSuite }: Database,
  ticketId: number,
  transaction: Transaction,
) {
  const ofTicket = { where: { ticketId }, order: ['id'], transaction };
  return {
    references: await TicketReference.findAll(ofTicket),
    owners: await TicketOwner.findAll({ ...ofTicket, include: 'person' }),
    ppas: await TicketPpa.findAll(ofTicket),
    suites: await TicketTestSuite.findAll({ ...ofTicket, include: 'testSuite' }),
  };
}
