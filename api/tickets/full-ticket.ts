import type { Transaction } from 'sequelize';
import { z } from 'zod';
import type { Database } from '../../models/database.ts';
import { selectAll, selectRow, type Condition } from '../../models/select-rows.ts';
import type { Row } from '../../models/statement.ts';
import { notFound } from '../rest/read-resource.ts';
import { shownSchema } from '../rest/request-schema.ts';
import { view, type Resource } from '../rest/resource.ts';
import { sourcePackageUpload } from '../resources/source-package-upload.ts';
import { sourcePackage } from '../resources/source-package.ts';
import { subticketArtifact } from '../resources/subticket-artifact.ts';
import { subticket } from '../resources/subticket.ts';
import { ticketArtifact } from '../resources/ticket-artifact.ts';
import { ticket } from '../resources/ticket.ts';
import { inSnapshot, type Work } from '../../models/work.ts';

/** The ticket under the name of its nested view. */
export const fullTicket = view(ticket, 'fullticket', { methods: { list: [], detail: ['get'] } });

/** The schema of what `readFullTicket` gives. */
export function fullTicketSchema(build: Resource): z.ZodObject {
  const upload = shownSchema(sourcePackageUpload).extend({
    sourcepackage: shownSchema(sourcePackage),
  });
  return shownSchema(fullTicket)
    .extend({
      artifacts: z.array(shownSchema(ticketArtifact)),
      subtickets: z.array(
        shownSchema(subticket).extend({
          source_package_upload: upload,
          artifacts: z.array(shownSchema(subticketArtifact)),
        }),
      ),
      builds: z.array(shownSchema(build)),
    })
    .meta({ title: fullTicket.name });
}

/**
 * The ticket with everything that belongs to it, nested, as all of it was at one moment.
 *
 * @throws AirlineError `not_found`
 */
export async function readFullTicket(
  database: Database,
  build: Resource,
  ticketId: number,
  { transaction }: Partial<Work> = {},
): Promise<Record<string, unknown>> {
  return inSnapshot(database.sequelize, transaction, (within) =>
    readParts(database, build, ticketId, within),
  );
}

async function readParts(
  database: Database,
  build: Resource,
  ticketId: number,
  transaction: Transaction,
): Promise<Record<string, unknown>> {
  const all = (resource: Resource, attribute: string, values: readonly unknown[]) => {
    const condition: Condition = { attribute, lookup: 'in', values };
    return values.length === 0 ? [] : selectAll(resource.model(database), [condition], transaction);
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
  const showUpload = (upload: Row) => ({
    ...sourcePackageUpload.show(upload),
    sourcepackage: sourcePackage.show(found(packages, upload['sourcePackageId'])),
  });
  return {
    ...fullTicket.show(row),
    artifacts: artifacts.map(ticketArtifact.show),
    subtickets: subtickets.map((one) => ({
      ...subticket.show(one),
      source_package_upload: showUpload(found(uploadsById, one['sourcePackageUploadId'])),
      artifacts: subticketArtifacts
        .filter(({ subticketId }) => subticketId === one['id'])
        .map(subticketArtifact.show),
    })),
    builds: builds.map(build.show),
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
