import { literal, type Model, type Transaction } from 'sequelize';
import type { Literal } from 'sequelize/types/utils';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { notFound } from '../rest/read-resource.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { view } from '../rest/declare-resource.ts';
import type { Resource } from '../rest/resource.ts';
import { build } from '../resources/build.ts';
import type { ResourceDependencies } from '../dependencies.ts';
import { sourcePackageUpload } from '../resources/source-package-upload.ts';
import { sourcePackage } from '../resources/source-package.ts';
import { mergeProposal } from '../resources/merge-proposal.ts';
import { subticketArtifact } from '../resources/subticket-artifact.ts';
import { subticket } from '../resources/subticket.ts';
import { ticketArtifact } from '../resources/ticket-artifact.ts';
import { person } from '../resources/person.ts';
import { testSuite } from '../resources/test-suite.ts';
import {
  ticketOwner,
  ticketPpa,
  ticketReference,
  ticketTestSuite,
} from '../resources/ticket-links.ts';
import { ticket } from '../resources/ticket.ts';
import type { Subticket } from '../../models/subticket.ts';
import type { MutationContext } from '../../models/mutation-context.ts';
import { MAX_PAGE_BYTES } from '../../models/sql/page-bytes.ts';
import { inSnapshot } from '../../models/transactions.ts';

/** What a subticket stands for: an upload with its package, a merge proposal, or both once a proposal's source is made. */
const SUBJECT = [
  { association: 'sourcePackageUpload', include: ['sourcePackage'] },
  'mergeProposal',
];

/** Whether there is anything to read of what most tickets have none of: it saves four statements. */
const LINKED: [Literal, string][] = [
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
const PARTS: [Literal, string][] = [
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

type Answered = Record<string, unknown>[];
const NO_LINKS: Record<'references' | 'owners' | 'ppas' | 'testsuites', Answered> = {
  references: [],
  owners: [],
  ppas: [],
  testsuites: [],
};

/** The ticket under the name of its nested view. */
export const fullTicket = view(ticket, 'fullticket', {
  methods: { list: ['get'], detail: ['get'] },
});

const uploadSchema = answerSchema(sourcePackageUpload).extend({
  sourcepackage: answerSchema(sourcePackage).meta({ description: 'The source package.' }),
});

/** The schema of what `readFullTicket` gives. */
export const fullTicketSchema = answerSchema(fullTicket)
  .extend({
    artifacts: z
      .array(answerSchema(ticketArtifact))
      .meta({ description: 'The files of the ticket.' }),
    subtickets: z
      .array(
        answerSchema(subticket).extend({
          source_package_upload: uploadSchema
            .nullable()
            .meta({ description: 'The upload that it is about.' }),
          merge_proposal: answerSchema(mergeProposal)
            .nullable()
            .meta({ description: 'The merge proposal that it is about.' }),
          artifacts: z
            .array(answerSchema(subticketArtifact))
            .meta({ description: 'The files of the subticket.' }),
        }),
      )
      .meta({ description: 'The subtickets, each with its upload and its files.' }),
    builds: z.array(answerSchema(build)).meta({ description: 'The builds of the ticket.' }),
    references: z
      .array(answerSchema(ticketReference))
      .meta({ description: 'The pages that it is about.' }),
    owners: z
      .array(
        answerSchema(ticketOwner).extend({
          person: answerSchema(person).meta({ description: 'The person or the team.' }),
        }),
      )
      .meta({ description: 'The persons and teams that it belongs to.' }),
    ppas: z
      .array(answerSchema(ticketPpa))
      .meta({ description: 'The PPAs that are dedicated to it.' }),
    testsuites: z
      .array(
        answerSchema(ticketTestSuite).extend({
          testsuite: answerSchema(testSuite).meta({ description: 'The test suite.' }),
        }),
      )
      .meta({ description: 'The test suites that are run for it.' }),
    components: z.array(z.string()).meta({
      description: 'The source packages of its subtickets, without the replaced ones, by name.',
    }),
  })
  .meta({ title: fullTicket.name });

/**
 * The ticket with everything that belongs to it, nested, from one snapshot of the database.
 *
 * @throws AirlineError `not_found`, `answer_too_large`
 */
export async function readFullTicket(
  deps: ResourceDependencies,
  ticketId: number,
  { transaction }: Partial<MutationContext> = {},
): Promise<Record<string, unknown>> {
  return inSnapshot(deps.database.sequelize, transaction, (within) =>
    readParts(deps, ticketId, within),
  );
}

async function readParts(
  deps: ResourceDependencies,
  ticketId: number,
  transaction: Transaction,
): Promise<Record<string, unknown>> {
  const { Ticket, TicketArtifact, Subticket, SubticketArtifact, Build } = deps.database;
  const row = await Ticket.findByPk(ticketId, {
    attributes: { include: [...LINKED, ...PARTS] },
    transaction,
  });
  if (!row) return notFound(fullTicket, String(ticketId));
  if (Number(row.get('partsBytes')) > MAX_PAGE_BYTES)
    throw new AirlineError(
      'answer_too_large',
      `What belongs to ticket ${ticketId} is too large for one answer; read its lists, such as /api/v1/build/?ticket=${ticketId}.`,
    );
  // One after the other: they share a connection.
  const ofTicket = { where: { ticketId }, order: ['id'], transaction };
  const artifacts = await TicketArtifact.findAll(ofTicket);
  const builds = await Build.findAll(ofTicket);
  const links = row.get('hasLinks') ? await readLinks(deps, ticketId, transaction) : NO_LINKS;
  const subtickets = await Subticket.findAll({ ...ofTicket, include: SUBJECT });
  const subticketArtifacts = await SubticketArtifact.findAll({
    where: { subticketId: subtickets.map(({ id }) => id) },
    order: ['id'],
    transaction,
  });
  const serialize = (of: Resource, one: Model) => of.serialize(one.get({ plain: true }), deps);
  return {
    ...serialize(fullTicket, row),
    artifacts: artifacts.map((one) => serialize(ticketArtifact, one)),
    subtickets: subtickets.map((one) => {
      const upload = one.get('sourcePackageUpload') as Model | null;
      const proposal = one.get('mergeProposal') as Model | null;
      return {
        ...serialize(subticket, one),
        source_package_upload: upload && {
          ...serialize(sourcePackageUpload, upload),
          sourcepackage: serialize(sourcePackage, upload.get('sourcePackage') as Model),
        },
        merge_proposal: proposal && serialize(mergeProposal, proposal),
        artifacts: subticketArtifacts
          .filter(({ subticketId }) => subticketId === one.id)
          .map((artifact) => serialize(subticketArtifact, artifact)),
      };
    }),
    builds: builds.map((one) => serialize(build, one)),
    ...links,
    components: componentsOf(subtickets),
  };
}

/** The names of the source packages of the subtickets that nothing was added in place of. */
function componentsOf(subtickets: readonly Subticket[]): string[] {
  const names = subtickets
    .filter(({ replacedById }) => replacedById === null)
    .flatMap((one) => {
      const upload = one.get('sourcePackageUpload') as Model | null;
      return upload ? [(upload.get('sourcePackage') as Model).get('name') as string] : [];
    });
  return [...new Set(names)].toSorted();
}

async function readLinks(
  deps: ResourceDependencies,
  ticketId: number,
  transaction: Transaction,
): Promise<typeof NO_LINKS> {
  const { TicketOwner, TicketPpa, TicketReference, TicketTestSuite } = deps.database;
  const ofTicket = { where: { ticketId }, order: ['id'], transaction };
  const references = await TicketReference.findAll(ofTicket);
  const owners = await TicketOwner.findAll({ ...ofTicket, include: 'person' });
  const ppas = await TicketPpa.findAll(ofTicket);
  const suites = await TicketTestSuite.findAll({ ...ofTicket, include: 'testSuite' });
  const serialize = (of: Resource, one: Model) => of.serialize(one.get({ plain: true }), deps);
  return {
    references: references.map((one) => serialize(ticketReference, one)),
    owners: owners.map((one) => ({
      ...serialize(ticketOwner, one),
      person: serialize(person, one.get('person') as Model),
    })),
    ppas: ppas.map((one) => serialize(ticketPpa, one)),
    testsuites: suites.map((one) => ({
      ...serialize(ticketTestSuite, one),
      testsuite: serialize(testSuite, one.get('testSuite') as Model),
    })),
  };
}
