import type { Model, Transaction } from 'sequelize';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { notFound } from '../rest/read-resource.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { view } from '../rest/declare-resource.ts';
import type { NestedField, Resource } from '../rest/resource.ts';
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
import {
  readMeasuredTicket,
  readTicketLinks,
  readTicketParts,
} from '../../models/tickets/full-ticket.ts';
import type { Subticket } from '../../models/tickets/subticket.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import { MAX_PAGE_BYTES } from '../../models/sql/page-bytes.ts';
import { inSnapshot } from '../../models/sql/transactions.ts';

type Answered = Record<string, unknown>[];
const NO_LINKS: Record<'references' | 'owners' | 'ppas' | 'testsuites', Answered> = {
  references: [],
  owners: [],
  ppas: [],
  testsuites: [],
};

/** The objects of another resource that belong to the ticket. */
function listOf(to: Resource, help: string, object = answerSchema(to)): NestedField {
  return { kind: 'related', help, schema: z.array(object), to };
}

const uploadSchema = answerSchema(sourcePackageUpload).extend({
  sourcepackage: answerSchema(sourcePackage).meta({ description: 'The source package.' }),
});

const subticketSchema = answerSchema(subticket).extend({
  source_package_upload: uploadSchema
    .nullable()
    .meta({ description: 'The upload that it is about.' }),
  merge_proposal: answerSchema(mergeProposal)
    .nullable()
    .meta({ description: 'The merge proposal that it is about.' }),
  artifacts: z
    .array(answerSchema(subticketArtifact))
    .meta({ description: 'The files of the subticket.' }),
});

const ownerSchema = answerSchema(ticketOwner).extend({
  person: answerSchema(person).meta({ description: 'The person or the team.' }),
});

const testSuiteSchema = answerSchema(ticketTestSuite).extend({
  testsuite: answerSchema(testSuite).meta({ description: 'The test suite.' }),
});

/** The ticket under the name of its nested view. */
export const fullTicket = view(ticket, 'fullticket', {
  methods: { list: ['get'], detail: ['get'] },
  nested: {
    artifacts: listOf(ticketArtifact, 'The files of the ticket.'),
    subtickets: listOf(
      subticket,
      'The subtickets, each with its upload and its files.',
      subticketSchema,
    ),
    builds: listOf(build, 'The builds of the ticket.'),
    references: listOf(ticketReference, 'The pages that it is about.'),
    owners: listOf(ticketOwner, 'The persons and teams that it belongs to.', ownerSchema),
    ppas: listOf(ticketPpa, 'The PPAs that are dedicated to it.'),
    testsuites: listOf(ticketTestSuite, 'The test suites that are run for it.', testSuiteSchema),
    components: {
      kind: 'json',
      help: 'The source packages of its subtickets, without the replaced ones, by name.',
      schema: z.array(z.string()),
    },
  },
});

/** The schema of what `readFullTicket` gives. */
export const fullTicketSchema = answerSchema(fullTicket);

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
  const { database } = deps;
  const measured = await readMeasuredTicket(database, ticketId, transaction);
  if (!measured) return notFound(fullTicket, String(ticketId));
  const { ticket: row, hasLinks, partsBytes } = measured;
  if (partsBytes > MAX_PAGE_BYTES)
    throw new AirlineError(
      'answer_too_large',
      `What belongs to ticket ${ticketId} is too large for one answer; read its lists, such as /api/v1/build/?ticket=${ticketId}.`,
    );
  const links = hasLinks ? await readLinks(deps, ticketId, transaction) : NO_LINKS;
  const parts = await readTicketParts(database, ticketId, transaction);
  const { artifacts, builds, subtickets, artifactsBySubticket } = parts;
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
        artifacts: (artifactsBySubticket.get(one.id) ?? []).map((artifact) =>
          serialize(subticketArtifact, artifact),
        ),
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
  const { references, owners, ppas, suites } = await readTicketLinks(
    deps.database,
    ticketId,
    transaction,
  );
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
