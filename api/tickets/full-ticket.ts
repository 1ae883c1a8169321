import type { Model, Transaction } from 'sequelize';
import { z } from 'zod';
import { notFound } from '../rest/read-resource.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { view } from '../rest/declare-resource.ts';
import type { Resource } from '../rest/resource.ts';
import { build } from '../resources/build.ts';
import type { ResourceDependencies } from '../dependencies.ts';
import { sourcePackageUpload } from '../resources/source-package-upload.ts';
import { sourcePackage } from '../resources/source-package.ts';
import { subticketArtifact } from '../resources/subticket-artifact.ts';
import { subticket } from '../resources/subticket.ts';
import { ticketArtifact } from '../resources/ticket-artifact.ts';
import { ticket } from '../resources/ticket.ts';
import type { MutationContext } from '../../models/mutation-context.ts';
import { inSnapshot } from '../../models/transactions.ts';

/** A subticket's upload, with its package. */
const UPLOAD = { association: 'sourcePackageUpload', include: ['sourcePackage'] };

/** The ticket under the name of its nested view. */
export const fullTicket = view(ticket, 'fullticket', { methods: { list: [], detail: ['get'] } });

const uploadSchema = answerSchema(sourcePackageUpload).extend({
  sourcepackage: answerSchema(sourcePackage),
});

/** The schema of what `readFullTicket` gives. */
export const fullTicketSchema = answerSchema(fullTicket)
  .extend({
    artifacts: z.array(answerSchema(ticketArtifact)),
    subtickets: z.array(
      answerSchema(subticket).extend({
        source_package_upload: uploadSchema,
        artifacts: z.array(answerSchema(subticketArtifact)),
      }),
    ),
    builds: z.array(answerSchema(build)),
  })
  .meta({ title: fullTicket.name });

/**
 * The ticket with everything that belongs to it, nested, from one snapshot of the database.
 *
 * @throws AirlineError `not_found`
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
  const row = await Ticket.findByPk(ticketId, { transaction });
  if (!row) return notFound(fullTicket, String(ticketId));
  // One after the other: they share a connection.
  const ofTicket = { where: { ticketId }, order: ['id'], transaction };
  const artifacts = await TicketArtifact.findAll(ofTicket);
  const builds = await Build.findAll(ofTicket);
  const subtickets = await Subticket.findAll({ ...ofTicket, include: UPLOAD });
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
      const upload = one.get('sourcePackageUpload') as Model;
      return {
        ...serialize(subticket, one),
        source_package_upload: {
          ...serialize(sourcePackageUpload, upload),
          sourcepackage: serialize(sourcePackage, upload.get('sourcePackage') as Model),
        },
        artifacts: subticketArtifacts
          .filter(({ subticketId }) => subticketId === one.id)
          .map((artifact) => serialize(subticketArtifact, artifact)),
      };
    }),
    builds: builds.map((one) => serialize(build, one)),
  };
}
