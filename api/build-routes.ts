import { PassThrough } from 'node:stream';
import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { AirlineError } from '../domain/errors.ts';
import type { SourceUrlRule } from '../domain/source-url.ts';
import type { Database } from '../models/database.ts';
import { readRow, type Row } from '../models/page.ts';
import type { ProgressFeed } from '../models/progress-feed.ts';
import { readBuildRequest } from './build-request.ts';
import { answerJson, type ApiContext, type RequestState } from './context.ts';
import { streamEvents, type StreamIntervals } from './event-stream.ts';
import { integer } from './fields.ts';
import { readPaging } from './list-query.ts';
import { notFound, pathId, readList } from './read-resource.ts';
import type { Resource } from './resource.ts';
import { bodyOf, idOf } from './resource-routes.ts';

const EVENT_STREAM = 'text/event-stream';
const DEFAULT_EVENTS = 1_000;

/** Serves builds: their request, their state, their events and their cancellation. */
export function routeBuilds(routes: {
  router: Router<RequestState>;
  readBody: Middleware;
  database: Database;
  build: Resource;
  sourceUrls: SourceUrlRule;
  feed: ProgressFeed;
  streams: StreamIntervals & { most: number };
  /** Aborts when the API stops: open streams end then, and their clients come back elsewhere. */
  stopping: AbortSignal;
  /** A build was accepted, or is to be cancelled. */
  onChange: () => void;
}): void {
  const { router, database, build } = routes;
  let openStreams = 0;

  router.post('/api/v1/build_source', routes.readBody, async (ctx) => {
    const request = readBuildRequest(bodyOf(ctx), routes.sourceUrls);
    const message = `There is no ticket ${request.ticketId}.`;
    if (!(await readRow(database.Ticket, request.ticketId)))
      throw new AirlineError('unknown_reference', message, { fields: { ticket_id: [message] } });
    const accepted = await database.Build.accept({ ...request, requestId: ctx.state.requestId });
    routes.onChange();
    ctx.state.logger.info(
      { buildId: accepted.id, ticketId: request.ticketId, workflowId: accepted.workflowId },
      'build accepted',
    );
    ctx.set('Location', build.uriOf(accepted.id));
    answerJson(ctx, 202, build.show(accepted.get({ plain: true })));
  });

  router.get('/api/v1/build', async (ctx) => {
    answerJson(ctx, 200, await readList(database, build, ctx.query));
  });

  router.get('/api/v1/build/:id', async (ctx) => {
    answerJson(ctx, 200, build.show(await readBuild(ctx)));
  });

  router.post('/api/v1/build/:id/cancel', async (ctx) => {
    const requestedBy = `a caller of the API (request ${ctx.state.requestId})`;
    const id = pathId(build, idOf(ctx));
    const row = await database.Build.requestCancellation(id, requestedBy);
    if (!row) notFound(build, idOf(ctx));
    routes.onChange();
    ctx.state.logger.info({ buildId: id }, 'cancellation requested');
    answerJson(ctx, 202, build.show(row.get({ plain: true })));
  });

  router.get('/api/v1/build/:id/events', async (ctx) => {
    const row = await readBuild(ctx);
    ctx.vary('Accept');
    if (ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM) answerStream(ctx, row);
    else await answerPage(ctx, row);
  });

  async function readBuild(ctx: ApiContext): Promise<Row> {
    const row = await readRow(database.Build, pathId(build, idOf(ctx)));
    return row ?? notFound(build, idOf(ctx));
  }

  async function answerPage(ctx: ApiContext, row: Row): Promise<void> {
    const after = wholeNumber('after', [ctx.query['after'] ?? '0'].flat().at(-1));
    const { limit } = readPaging({ limit: ctx.query['limit'] }, DEFAULT_EVENTS);
    const objects = await database.ProgressEvent.after(row['id'] as number, after, limit);
    const total = row['lastSeq'] as number;
    const last = objects.at(-1)?.seq ?? after;
    const path = `${build.uriOf(row['id'] as number)}events/`;
    answerJson(ctx, 200, {
      meta: {
        limit,
        next: last < total && objects.length > 0 ? `${path}?after=${last}&limit=${limit}` : null,
        offset: Math.min(after, total),
        previous: null,
        total_count: total,
      },
      objects,
    });
  }

  function answerStream(ctx: ApiContext, row: Row): void {
    const given = ctx.get('Last-Event-ID') || [ctx.query['after'] ?? '0'].flat().at(-1);
    const after = wholeNumber('Last-Event-ID', given);
    if (row['finishedAt'] && after >= (row['lastSeq'] as number)) {
      // 204 tells an EventSource not to come back.
      ctx.status = 204;
      return;
    }
    if (openStreams >= routes.streams.most)
      throw new AirlineError('overloaded', `${openStreams} event streams are open already.`);
    ctx.status = 200;
    ctx.set({
      'Content-Type': EVENT_STREAM,
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    if (ctx.method === 'HEAD') return;
    const gone = new AbortController();
    const output = new PassThrough();
    // Not AbortSignal.any: what it hangs on the signal that lives as long as the process is never taken off.
    const leave = () => gone.abort();
    routes.stopping.addEventListener('abort', leave);
    ctx.res.once('close', leave);
    if (routes.stopping.aborted) leave();
    ctx.body = output;
    ctx.res.flushHeaders();
    openStreams += 1;
    streamEvents(
      { database, feed: routes.feed, intervals: routes.streams },
      { buildId: row['id'] as number, after },
      output,
      gone.signal,
    )
      .catch((error: unknown) => {
        if (!gone.signal.aborted) ctx.state.logger.warn({ err: error }, 'event stream cut');
      })
      .finally(() => {
        openStreams -= 1;
        routes.stopping.removeEventListener('abort', leave);
        output.end();
      });
  }
}

function wholeNumber(name: string, given: string | undefined): number {
  const value = integer(given ?? '');
  if (value === undefined)
    throw new AirlineError('invalid_field', `${name} is not a whole number of 0 or more.`);
  return value;
}
