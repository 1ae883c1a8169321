import { z } from 'zod';
import type { Database } from '../../models/database.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import { atomically } from '../../models/sql/transactions.ts';
import { answerWriting, showsBody } from '../rest/answers.ts';
import { fullTicketSchema, readFullTicket } from './full-ticket.ts';
import { atPlace, readEnvelope } from '../rest/nested-errors.ts';
import { nameIn } from '../http/named-resource.ts';
import type { Operation } from '../http/operation.ts';
import { requestSchema } from '../rest/request-schema.ts';
import { mutationContextOf } from '../rest/request-context.ts';
import { bodyOf } from '../rest/resource-routes.ts';
import type { Resource } from '../rest/resource.ts';
import { sourcePackage } from '../resources/source-package.ts';
import { subticketArtifact } from '../resources/subticket-artifact.ts';
import { subticket } from '../resources/subticket.ts';
import { ticketArtifact } from '../resources/ticket-artifact.ts';
import {
  ticketOwner,
  ticketPpa,
  ticketReference,
  ticketTestSuite,
} from '../resources/ticket-links.ts';
import { ticket } from '../resources/ticket.ts';
import { createResource, findOrCreateResource } from '../rest/write-resource.ts';

const MAX_PARTS = 1_000;

/** What a ticket carries besides its parts, by its name in the bundle. */
const LINKS = {
  references: ticketReference,
  owners: ticketOwner,
  ppas: ticketPpa,
  testsuites: ticketTestSuite,
} as const;
const LINK_NAMES = ['references', 'owners', 'ppas', 'testsuites'] as const;

const anyObject = z.looseObject({});

/** The parts of a bundle, each a list that may be absent or null, with the schemas of their entries. */
function partsSchema<Subticket extends z.ZodRawShape>(of: {
  links: Record<keyof typeof LINKS, z.ZodObject>;
  artifact: z.ZodObject;
  subticket: z.ZodObject<Subticket, z.core.$loose>;
  subticketArtifact: z.ZodObject;
}) {
  const listOf = <T extends z.ZodObject>(object: T, description: string) =>
    z.array(object).max(MAX_PARTS).nullish().meta({ description });
  return z.looseObject({
    references: listOf(of.links.references, 'The pages that it is about.'),
    owners: listOf(of.links.owners, 'The persons and teams that it belongs to.'),
    ppas: listOf(of.links.ppas, 'The PPAs that are dedicated to it.'),
    testsuites: listOf(of.links.testsuites, 'The test suites that are run for it.'),
    artifacts: listOf(of.artifact, 'The files of the ticket.'),
    subtickets: listOf(
      of.subticket.extend({
        artifacts: listOf(of.subticketArtifact, 'The files of the subticket.'),
      }),
      'The subtickets.',
    ),
  });
}

/** The first check. The contents of the parts are checked later, as if they were sent alone, with the same texts. */
const envelopeSchema = partsSchema({
  links: { references: anyObject, owners: anyObject, ppas: anyObject, testsuites: anyObject },
  artifact: anyObject,
  subticket: anyObject,
  subticketArtifact: anyObject,
});

const bundleSchema = requestSchema(ticket, 'creation').extend(
  partsSchema({
    links: {
      references: requestSchema(ticketReference, 'creation', ['ticket']),
      owners: requestSchema(ticketOwner, 'creation', ['ticket']),
      ppas: requestSchema(ticketPpa, 'creation', ['ticket']),
      testsuites: requestSchema(ticketTestSuite, 'creation', ['ticket']),
    },
    artifact: requestSchema(ticketArtifact, 'creation', ['ticket']),
    subticket: requestSchema(subticket, 'creation', ['ticket', 'reason']),
    subticketArtifact: requestSchema(subticketArtifact, 'creation', ['subticket']),
  }).shape,
);

const nestedPackage = z.object({ sourcepackage: anyObject });
const namedPackage = z.object({ sourcepackage: z.unknown() });

/** POST /api/v1/ticket/bundle/: a ticket with all that belongs to it, in one transaction. */
export const bundleOperation: Operation = {
  method: 'post',
  path: '/api/v1/ticket/bundle/',
  summary: 'Add a ticket with its subtickets, uploads, packages and artifacts, all or nothing',
  scope: 'ticket:write',
  resource: 'ticket',
  body: bundleSchema,
  answers: { 201: { description: 'The full ticket.', schema: fullTicketSchema } },
  errors: [
    'invalid_field',
    'unknown_reference',
    'conflict',
    'phase_forbids_proposals',
    'answer_too_large',
  ],
  handle: async (ctx, deps) => {
    const { database } = deps;
    const body = bodyOf(ctx);
    const read = readEnvelope(envelopeSchema, body, (place) =>
      place.endsWith(']') ? 'Enter an object.' : `Enter a list of at most ${MAX_PARTS} objects.`,
    );
    const subtickets = read.subtickets ?? [];
    const caller = mutationContextOf(ctx, body);
    const needsRead = namesOthers(read);
    const isShown = showsBody(ctx, { needsRead });
    const added = await atomically(database.sequelize, caller, async (context) => {
      const add = async (
        resource: Resource,
        place: string,
        values: Readonly<Record<string, unknown>>,
      ) =>
        (await atPlace(place, () => createResource(database, resource, values, context)))[
          'id'
        ] as number;
      const id = await add(ticket, '', body);
      const uri = ticket.uriOf(id);
      for (const name of LINK_NAMES)
        for (const [index, link] of (read[name] ?? []).entries())
          await add(LINKS[name], `${name}[${index}]`, { ...link, ticket: uri });
      await addPackages(database, subtickets, context);
      for (const [index, artifact] of (read.artifacts ?? []).entries())
        await add(ticketArtifact, `artifacts[${index}]`, { ...artifact, ticket: uri });
      for (const [index, { artifacts, ...values }] of subtickets.entries()) {
        const place = `subtickets[${index}]`;
        const subticketUri = subticket.uriOf(
          await add(subticket, place, { ...values, ticket: uri }),
        );
        for (const [nested, artifact] of (artifacts ?? []).entries())
          await add(subticketArtifact, `${place}.artifacts[${nested}]`, {
            ...artifact,
            subticket: subticketUri,
          });
      }
      return { uri, full: isShown ? await readFullTicket(deps, id, context) : undefined };
    });
    ctx.set('Location', added.uri);
    answerWriting(ctx, 201, () => added.full, { needsRead });
  },
};

/**
 * Whether a bundle names by its address or id something that the full ticket nests: it shows then what the bundle has
 * not made. A source package that is found by its name shows no more than that.
 */
function namesOthers({ owners, testsuites, subtickets }: z.infer<typeof envelopeSchema>): boolean {
  const nested = [
    ...(owners ?? []).map(({ person }) => person),
    ...(testsuites ?? []).map(({ testsuite }) => testsuite),
    ...(subtickets ?? []).flatMap(({ merge_proposal: proposal, source_package_upload: upload }) => [
      proposal,
      upload,
      namedPackage.safeParse(upload).data?.sourcepackage,
    ]),
  ];
  return nested.some((given) => nameIn(given) !== undefined);
}

/**
 * Adds the source packages of the uploads that the subtickets nest, in the order of their names. Without that order,
 * two bundles that add the same packages at once could wait for each other.
 */
async function addPackages(
  database: Database,
  subtickets: readonly Readonly<Record<string, unknown>>[],
  context: MutationContext,
): Promise<void> {
  const nested = subtickets.flatMap(({ source_package_upload: upload }, index) => {
    const parsed = nestedPackage.safeParse(upload);
    const place = `subtickets[${index}].source_package_upload.sourcepackage`;
    // An upload with its address or id is referred to: what else is in it is not read.
    return parsed.success && nameIn(upload) === undefined
      ? [{ place, body: parsed.data.sourcepackage }]
      : [];
  });
  const key = ({ body: { name } }: (typeof nested)[number]) =>
    // What is no text is refused below, and an object may not become one.
    typeof name === 'string' || typeof name === 'number' ? String(name) : '';
  for (const { place, body } of nested.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)))
    await atPlace(place, () => findOrCreateResource(database, sourcePackage, body, context));
}
