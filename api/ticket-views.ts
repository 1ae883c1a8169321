import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { AirlineError } from '../domain/errors.ts';
import type { Database } from '../models/database.ts';
import { readAll, type Row } from '../models/page.ts';
import { answerJson, type RequestState } from './context.ts';
import { pathId, readList, readOne } from './read-resource.ts';
import type { Resource } from './resource.ts';
import { bodyOf, idOf, keyErrorsBy } from './resource-routes.ts';
import { sourcePackage } from './resources/source-package.ts';
import { sourcePackageUpload } from './resources/source-package-upload.ts';
import { subticketArtifact } from './resources/subticket-artifact.ts';
import { subticket } from './resources/subticket.ts';
import { ticketArtifact } from './resources/ticket-artifact.ts';
import { ticket } from './resources/ticket.ts';
import { changeResource } from './write-resource.ts';

const STATUS_FIELDS = ['current_workflow_step', 'status'];

/** A resource under another name: the same rows and fields, its own `resource_uri`. */
function view(base: Resource, name: string, changes: Partial<Resource> = {}): Resource {
  const uriOf = (id: number) => `/api/v1/${name}/${id}/`;
  const show = (row: Row) => ({ ...base.show(row), resource_uri: uriOf(row['id'] as number) });
  return { ...base, name, uriOf, show, ...changes };
}

const openTickets = view(ticket, 'opentickets');
const ticketStatus = view(ticket, 'ticketstatus', { listsOnly: {} });
const fullTicket = view(ticket, 'fullticket');
const statusUpdates = [
  view(ticket, 'updateticketstatus'),
  view(subticket, 'updatesubticketstatus'),
];

/** Serves the views of tickets and subtickets (ticket service, "Endpoints"). */
export function routeTicketViews(routes: {
  router: Router<RequestState>;
  database: Database;
  readBody: Middleware;
  build: Resource;
}): void {
  const { router, database, readBody, build } = routes;

  for (const list of [openTickets, ticketStatus])
    router.get(`/api/v1/${list.name}`, keyErrorsBy(list.name), async (ctx) => {
      answerJson(ctx, 200, await readList(database, list, ctx.query));
    });

  router.get('/api/v1/fullticket/:id', keyErrorsBy('fullticket'), async (ctx) => {
    answerJson(ctx, 200, await showFullTicket(database, build, idOf(ctx)));
  });

  for (const update of statusUpdates)
    router.patch(`/api/v1/${update.name}/:id`, keyErrorsBy(update.name), readBody, async (ctx) => {
      const given = Object.entries(bodyOf(ctx)).filter(([name]) => STATUS_FIELDS.includes(name));
      if (given.length === 0)
        throw new AirlineError('invalid_field', 'Neither step nor status is given.', {
          fields: Object.fromEntries(
            STATUS_FIELDS.map((name) => [name, ['This field is required.']]),
          ),
        });
      const id = pathId(update, idOf(ctx));
      const row = await changeResource(database, update, id, Object.fromEntries(given));
      answerJson(ctx, 202, update.show(row));
    });
}

/** The ticket with everything that belongs to it, nested. */
async function showFullTicket(
  database: Database,
  build: Resource,
  id: string,
): Promise<Record<string, unknown>> {
  const row = await readOne(database, fullTicket, id);
  const ticketId = row['id'];
  const [artifacts, subtickets, builds] = await Promise.all([
    readAll(database.TicketArtifact, { ticketId }),
    readAll(database.Subticket, { ticketId }),
    readAll(database.Build, { ticketId }),
  ]);
  const [subticketArtifacts, uploads] = await Promise.all([
    readAll(database.SubticketArtifact, { subticketId: column(subtickets, 'id') }),
    readAll(database.SourcePackageUpload, { id: column(subtickets, 'sourcePackageUploadId') }),
  ]);
  const packages = byId(
    await readAll(database.SourcePackage, { id: column(uploads, 'sourcePackageId') }),
  );
  const uploadsById = byId(uploads);
  const showUpload = (upload: Row) => ({
    ...sourcePackageUpload.show(upload),
    sourcepackage: sourcePackage.show(found(packages, upload['sourcePackageId'])),
  });
  return {
    ...fullTicket.show(row),
    artifacts: artifacts.map((artifact) => ticketArtifact.show(artifact)),
    subtickets: subtickets.map((one) => ({
      ...subticket.show(one),
      source_package_upload: showUpload(found(uploadsById, one['sourcePackageUploadId'])),
      artifacts: subticketArtifacts
        .filter(({ subticketId }) => subticketId === one['id'])
        .map((artifact) => subticketArtifact.show(artifact)),
    })),
    builds: builds.map((one) => build.show(one)),
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
