import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { SourceUrlRule } from '../../domain/source-url.ts';
import type { Database } from '../../models/database.ts';
import type { ProgressFeed } from '../../models/progress-feed.ts';
import { selectRow } from '../../models/select-rows.ts';
import type { Row } from '../../models/statement.ts';
import { afterParameter, readAfter, readSeq } from '../rest/after-parameter.ts';
import { answerStream, EVENT_STREAM, type Streams } from '../http/answer-stream.ts';
import { answerPage, answerWritten } from '../rest/answers.ts';
import { buildRequestSchema, readBuildRequest } from './build-request.ts';
import type { ApiContext } from '../http/context.ts';
import { streamEvents, type StreamIntervals } from './event-stream.ts';
import { readPaging } from '../rest/list-query.ts';
import type { Operation } from '../http/operation.ts';
import { progressMessageSchema } from '../resources/progress-schemas.ts';
import { pagingParameters } from '../rest/query-schema.ts';
import { notFound, pathId, readOne } from '../rest/read-resource.ts';
import { pageSchema, shownSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf, resourceOperations } from '../rest/resource-routes.ts';
import type { Resource } from '../rest/resource.ts';

const DEFAULT_EVENTS = 1_000;

/** The operations on builds: their request, their state, their events and their cancellation. */
export function buildOperations(parts: {
  database: Database;
  build: Resource;
  sourceUrls: SourceUrlRule;
  feed: ProgressFeed;
  intervals: StreamIntervals;
  streams: Streams;
  /** A build was accepted, or is to be cancelled. */
  onChange: () => void;
}): Operation[] {
  const { database, build } = parts;
  const shown = shownSchema(build);

  return [
    ...resourceOperations(database, build),
    {
      method: 'post',
      path: '/api/v1/build_source',
      summary: 'Request a build of source packages in a PPA',
      scope: 'build:write',
      body: buildRequestSchema,
      answers: {
        202: {
          description: 'Accepted; its progress goes to the queue and the events.',
          schema: shown,
        },
      },
      errors: [
        'malformed_json',
        'invalid_field',
        'unknown_reference',
        'host_not_allowed',
        'credentials_in_url',
        'too_large',
        'unsupported_media_type',
      ],
      handle: requestBuild,
    },
    {
      method: 'post',
      path: '/api/v1/build/{id}/cancel/',
      summary: 'Cancel a build',
      scope: 'build:write',
      answers: { 202: { description: 'It will be cancelled.', schema: shown } },
      errors: ['not_found', 'conflict'],
      handle: cancelBuild,
    },
    {
      method: 'get',
      path: '/api/v1/build/{id}/events/',
      summary: 'List the events of a build in order, or follow them as Server-Sent Events',
      scope: 'read',
      query: z.object({ limit: pagingParameters.shape['limit'], ...afterParameter }),
      answers: {
        200: {
          description: 'One page, or the stream for who accepts it.',
          schema: pageSchema(progressMessageSchema),
          mediaType: EVENT_STREAM,
        },
        204: { description: 'Of the stream: it has ended, and the caller has all of it.' },
      },
      errors: ['not_found', 'invalid_field', 'overloaded'],
      handle: async (ctx) => {
        const row = await readOne(database, build, idOf(ctx));
        ctx.vary('Accept');
        if (ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM) followEvents(ctx, row);
        else await answerEvents(ctx, row);
      },
    },
  ];

  async function requestBuild(ctx: ApiContext): Promise<void> {
    const request = readBuildRequest(bodyOf(ctx), parts.sourceUrls);
    const { actor, transaction, requestId } = ctx.state;
    const message = `There is no ticket ${request.ticketId}.`;
    if (!(await selectRow(database.Ticket, request.ticketId, { transaction })))
      throw new AirlineError('unknown_reference', message, { fields: { ticket_id: [message] } });
    const accepted = await database.Build.accept(
      { ...request, requestId, requestedBy: actor.name },
      transaction,
    );
    tellChange(transaction);
    ctx.state
      .logger()
      .info(
        { buildId: accepted.id, ticketId: request.ticketId, workflowId: accepted.workflowId },
        'build accepted',
      );
    ctx.set('Location', build.uriOf(accepted.id));
    answerWritten(ctx, 202, build, accepted.get({ plain: true }));
  }

  async function cancelBuild(ctx: ApiContext): Promise<void> {
    const { actor, requestId, transaction } = ctx.state;
    const requestedBy = `${actor.name} (request ${requestId})`;
    const id = pathId(build, idOf(ctx));
    const row = await database.Build.requestCancellation(id, requestedBy, transaction);
    if (!row) notFound(build, idOf(ctx));
    tellChange(transaction);
    ctx.state.logger().info({ buildId: id }, 'cancellation requested');
    answerWritten(ctx, 202, build, row.get({ plain: true }));
  }

  /** Tells the dispatcher once it can see the change. */
  function tellChange(transaction: ApiContext['state']['transaction']): void {
    if (transaction) transaction.afterCommit(parts.onChange);
    else parts.onChange();
  }

  async function answerEvents(ctx: ApiContext, row: Row): Promise<void> {
    const after = readAfter(ctx.query);
    const { limit } = readPaging({ limit: ctx.query['limit'] }, DEFAULT_EVENTS);
    const objects = await database.ProgressEvent.after(row['id'] as number, after, limit);
    const total = row['lastSeq'] as number;
    const last = objects.at(-1)?.seq ?? after;
    const path = `${build.uriOf(row['id'] as number)}events/`;
    answerPage(ctx, {
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

  function followEvents(ctx: ApiContext, row: Row): void {
    const given = ctx.get('Last-Event-ID') || [ctx.query['after'] ?? '0'].flat().at(-1);
    const after = readSeq('Last-Event-ID', given);
    if (row['finishedAt'] && after >= (row['lastSeq'] as number)) {
      // 204 tells an EventSource not to come back.
      ctx.status = 204;
      return;
    }
    answerStream(ctx, parts.streams, (output, signal) =>
      streamEvents(
        { database, feed: parts.feed, intervals: parts.intervals },
        { buildId: row['id'] as number, after },
        output,
        signal,
      ),
    );
  }
}
