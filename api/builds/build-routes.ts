import { AirlineError } from '../../domain/errors.ts';
import type { Row } from '../../models/sql/query.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { eventsQuery, seqParameter, type EventPage } from '../rest/page-parameters.ts';
import { answerStream, EVENT_STREAM } from '../http/answer-stream.ts';
import { answerEvents } from '../rest/answer-events.ts';
import { answerWritten } from '../rest/answers.ts';
import { assertOutsidePool } from './assert-outside-pool.ts';
import { assertTakesBuilds } from './assert-takes-builds.ts';
import { buildRequestSchema, readBuildRequest } from './build-request.ts';
import { assertWebhookIsTold } from './named-webhook.ts';
import type { ApiContext } from '../http/context.ts';
import { streamEvents } from './event-stream.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { progressMessageSchema } from '../resources/progress-schemas.ts';
import { notFound, pathId, readOne } from '../rest/read-resource.ts';
import { answerSchema, pageSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf, resourceOperations } from '../rest/resource-routes.ts';
import { build } from '../resources/build.ts';

const lastEventId = seqParameter('Last-Event-ID');

/** The operations on builds: their request, their state, their events and their cancellation. */
export const buildOperations: readonly Operation[] = [
  ...resourceOperations(build),
  {
    method: 'post',
    path: '/api/v1/build_source',
    summary: 'Request a build of source packages in a PPA',
    scope: 'build:write',
    body: buildRequestSchema,
    answers: {
      202: {
        description: 'Accepted; its progress goes to the queue and the events.',
        schema: answerSchema(build),
      },
    },
    errors: [
      'build_too_large',
      'invalid_field',
      'unknown_reference',
      'host_not_allowed',
      'credentials_in_url',
      'conflict',
      'ticket_complete',
    ],
    handle: requestBuild,
  },
  {
    method: 'post',
    path: '/api/v1/build/{id}/cancel/',
    summary: 'Cancel a build',
    scope: 'build:write',
    answers: { 202: { description: 'It will be cancelled.', schema: answerSchema(build) } },
    errors: ['not_found', 'conflict'],
    handle: cancelBuild,
  },
  withQuery({
    method: 'get',
    path: '/api/v1/build/{id}/events/',
    summary: 'List the events of a build in order, or follow them as Server-Sent Events',
    scope: 'read',
    query: eventsQuery,
    answers: {
      200: {
        description: 'One page, or the stream for clients that accept text/event-stream.',
        schema: pageSchema(progressMessageSchema),
        mediaType: EVENT_STREAM,
      },
      204: { description: 'The stream has ended, and the caller has every event.' },
    },
    errors: ['not_found', 'invalid_field', 'overloaded'],
    handle: async (ctx, deps, query) => {
      const row = await readOne(deps.database, build, idOf(ctx));
      ctx.vary('Accept');
      if (ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM)
        followEvents(ctx, deps, row, query);
      else
        await answerEvents(ctx, build, row, query, (...of) =>
          deps.database.ProgressEvent.findAfter(...of),
        );
    },
  }),
];

async function requestBuild(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const request = readBuildRequest(bodyOf(ctx), deps.sourceUrls);
  const { actor, transaction, requestId } = ctx.state;
  await assertTakesBuilds(deps.database, request.ticketId, transaction);
  await assertOutsidePool(deps.database, request, transaction);
  await assertWebhookIsTold(deps.database, request, transaction);
  const accepted = await deps.database.Build.accept(
    { ...request, requestId, requestedBy: actor.name },
    transaction,
  );
  tellChange(deps, transaction);
  ctx.state
    .logger()
    .info(
      { buildId: accepted.id, ticketId: request.ticketId, workflowId: accepted.workflowId },
      'build accepted',
    );
  ctx.set('Location', build.uriOf(accepted.id));
  answerWritten(ctx, deps, 202, build, accepted.get({ plain: true }));
}

async function cancelBuild(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const { actor, requestId, transaction } = ctx.state;
  const requestedBy = `${actor.name} (request ${requestId})`;
  const id = pathId(build, idOf(ctx));
  const row = await deps.database.Build.requestCancellation(id, requestedBy, transaction);
  if (!row) notFound(build, idOf(ctx));
  tellChange(deps, transaction);
  ctx.state.logger().info({ buildId: id }, 'cancellation requested');
  answerWritten(ctx, deps, 202, build, row.get({ plain: true }));
}

/** Tells the dispatcher once it can see the change. */
function tellChange(
  { onBuildChange }: HandlerDependencies,
  transaction: ApiContext['state']['transaction'],
): void {
  if (transaction) transaction.afterCommit(onBuildChange);
  else onBuildChange();
}

function followEvents(
  ctx: ApiContext,
  deps: HandlerDependencies,
  row: Row,
  query: EventPage,
): void {
  const after = readLastEventId(ctx) ?? query.after;
  if (row['finishedAt'] && after >= (row['lastSeq'] as number)) {
    // 204 tells an EventSource not to come back.
    ctx.status = 204;
    return;
  }
  answerStream(ctx, deps.streams, (output, signal) =>
    streamEvents(
      { database: deps.database, feed: deps.feed, intervals: deps.limits.streams },
      { buildId: row['id'] as number, after },
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
