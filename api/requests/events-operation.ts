import type { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { Row } from '../../models/sql/query.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerStream, EVENT_STREAM, MAX_STREAM_MS } from '../http/answer-stream.ts';
import type { ApiContext } from '../http/context.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { answerEvents } from '../rest/answer-events.ts';
import { eventsQuery, seqParameter } from '../rest/page-parameters.ts';
import { readOne } from '../rest/read-resource.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { idOf } from '../rest/resource-routes.ts';
import type { Resource } from '../rest/resource.ts';
import { streamEvents, type EventSource, type NumberedEvent } from './event-stream.ts';

const lastEventId = seqParameter('Last-Event-ID');

/**
 * The events of each row of a resource: page by page, or as a stream.
 *
 * @param schema of one event
 * @param sourceOf where those of a row come from
 */
export function eventsOperation<Event extends NumberedEvent>(
  resource: Resource,
  schema: z.ZodType,
  sourceOf: (deps: HandlerDependencies, id: number) => EventSource<Event>,
): Operation {
  return withQuery({
    method: 'get',
    path: `/api/v1/${resource.name}/{id}/events/`,
    summary: `List the events of a ${resource.name} in order, or follow them as Server-Sent Events`,
    scope: 'read',
    query: eventsQuery,
    answers: {
      200: {
        description: `One page, or the stream for clients that accept text/event-stream. A stream ends after ${MAX_STREAM_MS / 60_000} minutes at the latest: connect again with \`Last-Event-ID\` until an event has \`exit\`. AIRLINE_KEEP_EVENTS_MS after the end of the ${resource.name}, only the final event of each attempt is left; \`total_count\` is the \`seq\` of the latest one all the same.`,
        schema: pageSchema(schema),
        mediaType: EVENT_STREAM,
      },
      204: { description: 'The stream has ended, and the caller has every event.' },
    },
    errors: ['not_found', 'invalid_field', 'overloaded'],
    handle: async (ctx, deps, query) => {
      const row = await readOne(deps.database, resource, idOf(ctx));
      const source = sourceOf(deps, row['id'] as number);
      ctx.vary('Accept');
      if (ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM)
        followEvents(ctx, deps, source, row, readLastEventId(ctx) ?? query.after);
      else
        await answerEvents(ctx, resource, row, query, (...of) =>
          source.read(...of, { isBounded: true }),
        );
    },
  });
}

function followEvents(
  ctx: ApiContext,
  { streams, limits }: HandlerDependencies,
  source: EventSource<NumberedEvent>,
  row: Row,
  after: number,
): void {
  if (row['finishedAt'] && after >= (row['lastSeq'] as number)) {
    // 204 tells an EventSource not to come back.
    ctx.status = 204;
    return;
  }
  answerStream(ctx, streams, (output, signal) =>
    streamEvents(
      source,
      {
        after,
        intervals: limits.streams,
        withPresentAddresses: ctx.state.withPresentAddresses ?? ((json) => json),
      },
      output,
      signal,
    ),
  );
}

/** @throws AirlineError `invalid_field` */
function readLastEventId(ctx: ApiContext): number | undefined {
  const given = ctx.get('Last-Event-ID');
  if (given === '') return undefined;
  const { data, error } = lastEventId.safeParse(given);
  if (error) throw new AirlineError('invalid_field', error.issues[0]?.message ?? '');
  return data;
}
