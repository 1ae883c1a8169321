import { requesterText } from '../../domain/access/requester.ts';
import { assertTargetsAllowed, targetsOfBuild } from '../../domain/access/target-rule.ts';
import { assertMayBuildIn } from '../../domain/landings/landing-permission.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerWritten } from '../rest/answers.ts';
import { assertOutsidePool } from '../requests/assert-outside-pool.ts';
import { assertTakesBuilds } from '../requests/assert-takes-builds.ts';
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
  const { actor, requestId, traceparent } = ctx.state;
  const accepted = await writeAndWake(ctx, deps, async ({ transaction }) => {
    await assertTakesBuilds(deps.database, request.ticketId, transaction);
    assertTargetsAllowed(deps.targets, actor, targetsOfBuild(request));
    assertMayBuildIn(deps.landingPolicies, acceptedPpa(request), request.series);
    await assertOutsidePool(deps.database, request, transaction);
    await assertWebhookIsTold(deps.database, request, transaction);
    return deps.database.Build.accept(
      { ...request, requestId, requestedBy: actor.name, traceparent: traceparent ?? null },
      transaction,
    );
  });
  ctx.state
    .logger()
    .info(
      { buildId: accepted.id, ticketId: request.ticketId, workflowId: accepted.workflowId },
      'build accepted',
    );
  ctx.set('Location', build.uriOf(accepted.id));
  answerWritten(ctx, deps, 202, build, accepted.get({ plain: true }), { isNew: true });
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
