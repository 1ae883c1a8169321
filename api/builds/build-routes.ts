import { requesterText } from '../../domain/access/requester.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerWritten } from '../rest/answers.ts';
import { assertTakesBuilds } from '../requests/assert-takes-builds.ts';
import {
  acceptBuild,
  acceptedAnswer,
  answerAccepted,
  assertTargetAllowed,
} from './accept-build.ts';
import { buildRequestSchema, readBuildRequest } from './build-request.ts';
import { assertWebhookIsTold } from '../requests/named-webhook.ts';
import type { ApiContext } from '../http/context.ts';
import { eventsOfBuild } from './build-events.ts';
import { eventsOperation } from '../requests/events-operation.ts';
import type { Operation } from '../http/operation.ts';
import { progressMessageSchema } from '../resources/progress-schemas.ts';
import { notFound, pathId } from '../rest/read-resource.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf, resourceOperations } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { build } from '../resources/build.ts';

/** The operations on builds: their request, their state, their events and their cancellation. */
export const buildOperations: readonly Operation[] = [
  ...resourceOperations(build),
  {
    method: 'post',
    path: '/api/v1/build_source',
    summary: 'Request a build of source packages in a PPA',
    scope: 'build:write',
    body: buildRequestSchema,
    answers: { 202: acceptedAnswer },
    errors: [
      'build_too_large',
      'invalid_field',
      'unknown_reference',
      'host_not_allowed',
      'credentials_in_url',
      'target_not_allowed',
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
    answers: {
      202: {
        description: 'It will be cancelled, unless its final message is being recorded already.',
        schema: answerSchema(build),
      },
    },
    errors: ['not_found', 'conflict'],
    handle: cancelBuild,
  },
  eventsOperation(build, progressMessageSchema, eventsOfBuild),
];

async function requestBuild(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const request = readBuildRequest(bodyOf(ctx), deps.sourceUrls);
  const accepted = await writeAndWake(ctx, deps, async ({ transaction }) => {
    await assertTakesBuilds(deps.database, request.ticketId, transaction);
    await assertTargetAllowed(ctx, deps, request, transaction);
    await assertWebhookIsTold(deps.database, request, transaction);
    return acceptBuild(ctx, deps, request, transaction);
  });
  answerAccepted(ctx, deps, accepted);
}

async function cancelBuild(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const { actor, requestId } = ctx.state;
  const requestedBy = requesterText(actor.name, requestId);
  const id = pathId(build, idOf(ctx));
  const row = await writeAndWake(ctx, deps, ({ transaction }) =>
    deps.database.Build.requestCancellation(id, requestedBy, transaction),
  );
  if (!row) notFound(build, idOf(ctx));
  ctx.state.logger().info({ buildId: id }, 'cancellation requested');
  answerWritten(ctx, deps, 202, build, row.get({ plain: true }));
}
