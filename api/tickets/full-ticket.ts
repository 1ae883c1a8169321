import type { Transaction } from 'sequelize';
import { z } from 'zod';
import { selectAll, selectRow, type Condition } from '../../models/select-rows.ts';
import type { Row } from '../../models/statement.ts';
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
import { inSnapshot, type Work } from '../../models/work.ts';

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
 * The ticket with everything that belongs to it, nested, as all of it was at one moment.
 *
 * @throws AirlineError `not_found`
 */
export async function readFullTicket(
  deps: ResourceDependencies,
  ticketId: number,
  { transaction }: Partial<Work> = {},
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
  const all = (resource: Resource, attribute: string, values: readonly unknown[]) => {
    const condition: Condition = { attribute, lookup: 'in', values };
    return values.length === 0 ? [] : selectAll(database[resource.model], [condition], transaction);
  };
  const row = await selectRow(database.Ticket, ticketId, { transaction });
  if (!row) return notFound(fullTicket, String(ticketId));
  // One after the other: they share a connection.
  const artifacts = await all(ticketArtifact, 'ticketId', [ticketId]);
  const subtickets = await all(subticket, 'ticketId', [ticketId]);
  const builds = await all(build, 'ticketId', [ticketId]);
  const subticketArtifacts = await all(subticketArtifact, 'subticketId', column(subtickets, 'id'));
  const uploads = await all(sourcePackageUpload, 'id', column(subtickets, 'sourcePackageUploadId'));
  const packages = byId(await all(sourcePackage, 'id', column(uploads, 'sourcePackageId')));
  const uploadsById = byId(uploads);
  const serializer = (of: Resource) => (one: Row) => of.serialize(one, deps);
  const serializeUpload = (upload: Row) => ({
    ...sourcePackageUpload.serialize(upload, deps),
    sourcepackage: sourcePackage.serialize(found(packages, upload['sourcePackageId']), deps),
  });
  return {
    ...fullTicket.serialize(row, deps),
    artifacts: artifacts.map(serializer(ticketArtifact)),
    subtickets: subtickets.map((one) => ({
      ...subticket.serialize(one, deps),
      source_package_upload: serializeUpload(found(uploadsById, one['sourcePackageUploadId'])),
      artifacts: subticketArtifacts
        .filter(({ subticketId }) => subticketId === one['id'])
        .map(serializer(subticketArtifact)),
    })),
    builds: builds.map(serializer(build)),
  };
}

function column(rows: readonly Row[], attribute: string): unknown[] {
  return [...new Set(rows.map((row) => row[attribute]))];
}

function byId(rows: readonly Row[]): Map<unknown, Row> {
  return new Map(rows.map((row) => [row['id'], row]));
}

function found(rows: ReadonlyMap<unknown, Row>, id: unknown): Row {
  const row = rows.get(id);
  if (!row) throw new Error(`row ${String(id)} vanished while its ticket was read`);
  return row;
}
