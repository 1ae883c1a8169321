import type { Transaction } from 'sequelize';
import { z } from 'zod';
import {
  assertIsLander,
  assertMayLand,
  assertNotHeld,
  mayResumeAnyway,
} from '../../domain/landings/landing-permission.ts';
import { policyOf } from '../../domain/landings/placed-policy.ts';
import { DECISIONS } from '../../domain/landings/landing.ts';
import { queueOfTicket } from '../../domain/landings/queue-of-ticket.ts';
import { requesterText } from '../../domain/access/requester.ts';
import {
  assertTargetsAllowed,
  isQueueAllowed,
  targetsOfLanding,
} from '../../domain/access/target-rule.ts';
import type { Landing } from '../../models/landings/landing.ts';
import type { InTransaction } from '../../models/sql/mutation-context.ts';
import { assertNotComplete } from '../requests/assert-not-complete.ts';
import { assertTakesBuilds } from '../requests/assert-takes-builds.ts';
import { assertWebhookIsTold } from '../requests/named-webhook.ts';
import { eventsOperation } from '../requests/events-operation.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { landing, landingEventSchema } from '../resources/landing.ts';
import { ticket } from '../resources/ticket.ts';
import { answerWritten } from '../rest/answers.ts';
import { notFound, pathId } from '../rest/read-resource.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf, resourceOperations } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { landRequestSchema, readLandRequest } from './land-request.ts';
import { eventsOfLanding } from './landing-events.ts';
import { assertStillStand, landedPackages } from './landed-packages.ts';
import { assertMayLandFrom, assertMayLandIn, ppaToLandIn } from './landing-ppa.ts';
import { reasonText } from './reason-text.ts';
import { zonedTime } from './zoned-time.ts';

const accepted = (description: string) => ({
  202: { description, schema: answerSchema(landing) },
});
const POLICY_ERRORS = ['not_a_lander', 'target_frozen'] as const;

const decisionSchema = z
  .object({
    decision: z
      .enum(DECISIONS, { error: 'Enter approve or reject.' })
      .meta({ description: 'approve: it is published; reject: it fails.' }),
    comment: reasonText('Why. It stays on the landing.'),
    attempt: z.int({ error: 'Enter the number of an attempt.' }).optional().meta({
      description: 'The attempt that it is about. Where another one waits, it is refused.',
    }),
    approving_since: zonedTime.optional().meta({
      description:
        'The `phase_since` of the landing as it was looked at. Where it was tested anew since, it is refused.',
    }),
  })
  .meta({ title: 'landing_decision_request' });

/** The operations on landings: their request, their state, their events, and what people decide of them. */
export const landingOperations: readonly Operation[] = [
  ...resourceOperations(landing),
  {
    method: 'post',
    path: '/api/v1/ticket/{id}/land/',
    summary:
      'Land a ticket: build its source packages, test them, have them approved where the policy asks for it, publish them in a target',
    scope: 'build:write',
    body: landRequestSchema,
    answers: accepted('Accepted; its events tell how it goes.'),
    errors: [
      'not_found',
      'invalid_field',
      'unknown_reference',
      ...POLICY_ERRORS,
      'ticket_complete',
      'not_landable',
      'build_too_large',
      'target_not_allowed',
      'conflict',
    ],
    handle: landTicket,
  },
  eventsOperation(landing, landingEventSchema, eventsOfLanding),
  {
    method: 'post',
    path: '/api/v1/landing/{id}/decide/',
    summary: 'Approve or reject a landing that waits for it',
    scope: 'landing:approve',
    body: decisionSchema,
    answers: accepted('The decision is kept.'),
    errors: ['not_found', 'conflict', 'not_an_approver', 'target_frozen', 'invalid_field'],
    handle: async (ctx, deps) => {
      const body = bodyOf(ctx);
      const { data, error } = decisionSchema.safeParse(body);
      if (!data) throw refusal(problemsOf(error, body));
      await change(ctx, deps, async (id, { actor, transaction }) => {
        if (data.decision === 'approve') {
          const { policy, found } = await policyNow(deps, id, transaction);
          // An approval now would only make it fail.
          assertNotHeld(found, policy, deps.now().getTime());
        }
        const { decision, comment, attempt, approving_since: since } = data;
        const given = { decision, comment, by: actor };
        const seen = { attempt, approvingSince: since ? new Date(since) : undefined };
        return deps.database.Landing.decide(id, given, transaction, seen);
      });
    },
  },
  {
    method: 'post',
    path: '/api/v1/landing/{id}/cancel/',
    summary: 'Cancel a landing that is not being published yet',
    scope: 'build:write',
    answers: accepted('It will be cancelled.'),
    errors: ['not_found', 'conflict'],
    handle: (ctx, deps) =>
      change(ctx, deps, (id, { actor, requestId, transaction }) =>
        deps.database.Landing.requestCancellation(
          id,
          requesterText(actor, requestId ?? ''),
          transaction,
        ),
      ),
  },
  {
    method: 'post',
    path: '/api/v1/landing/{id}/pause/',
    summary: 'Pause a landing: it begins no new step until it is resumed',
    scope: 'build:write',
    answers: accepted('It will be paused.'),
    errors: ['not_found', 'conflict'],
    handle: (ctx, deps) =>
      change(ctx, deps, (id, { actor, transaction }) =>
        deps.database.Landing.pause(id, actor, transaction),
      ),
  },
  {
    method: 'post',
    path: '/api/v1/landing/{id}/resume/',
    summary: 'Resume a landing that is paused',
    scope: 'build:write',
    answers: accepted('It will be resumed.'),
    errors: ['not_found', 'conflict', 'not_a_lander', 'target_not_allowed'],
    handle: (ctx, deps) =>
      change(ctx, deps, async (id, { actor, transaction }) => {
        const { policy, found } = await policyNow(deps, id, transaction);
        // It lets the landing go on to its target, as a request does.
        if (!mayResumeAnyway(found, ctx.state.actor)) {
          assertIsLander(policy, actor);
          assertTargetsAllowed(deps.targets, ctx.state.actor, found.targets);
        }
        return deps.database.Landing.resume(id, actor, transaction);
      }),
  },
  {
    method: 'post',
    path: '/api/v1/landing/{id}/retry/',
    summary: 'Land again what failed or was cancelled, as one more attempt of the same landing',
    scope: 'build:write',
    answers: accepted('It will be retried.'),
    errors: [
      'not_found',
      'conflict',
      ...POLICY_ERRORS,
      'ticket_complete',
      'target_not_allowed',
      'not_landable',
    ],
    handle: (ctx, deps) =>
      change(ctx, deps, async (id, { actor, requestId = '', transaction }) => {
        const { policy, found } = await policyNow(deps, id, transaction);
        assertMayLand(policy, actor, deps.now().getTime());
        assertTargetsAllowed(deps.targets, ctx.state.actor, found.targets);
        await assertTakesBuilds(deps.database, found.ticketId, transaction);
        await assertStillStand(deps.database, found.packages, transaction);
        // Before it takes its place in the line of its target: in another order, two could wait for each other.
        await assertMayLandIn(deps.database, found.target, transaction);
        if (!found.usesPool) await assertMayLandFrom(deps, found.acceptedPpa, found, transaction);
        const request = { policy, requestedBy: actor, requestId };
        return deps.database.Landing.retry(id, request, transaction);
      }),
  },
];

async function landTicket(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const body = bodyOf(ctx);
  const place = readLandRequest(body);
  const ticketId = pathId(ticket, idOf(ctx));
  const { database } = deps;
  const { actor, requestId } = ctx.state;
  const policy = policyOf(deps.landingPolicies, {
    archive: place.target,
    series: place.targetSeries,
    pocket: place.pocket,
  });
  assertMayLand(policy, actor.name, deps.now().getTime());
  const accept = async ({ transaction }: InTransaction) => {
    const found = await database.Ticket.lock(ticketId, transaction);
    if (!found) notFound(ticket, idOf(ctx));
    assertNotComplete(found);
    await assertWebhookIsTold(database, { ...place, ticketId }, transaction);
    const packages = await landedPackages(database, ticketId, transaction);
    await assertMayLandIn(database, place.target, transaction);
    const building = await ppaToLandIn(deps, ticketId, place, transaction);
    assertTargetsAllowed(
      deps.targets,
      actor,
      targetsOfLanding({ ...place, ...building, queue: place.progressTrigger }),
    );
    return database.Landing.accept(
      {
        ...place,
        ...building,
        ticketId,
        packages,
        progressTrigger: place.progressTrigger ?? queueOfBuilds(ctx, deps, place, ticketId),
        isQueueNamed: place.progressTrigger !== undefined,
        policy,
        requestId,
        requestedBy: actor.name,
      },
      transaction,
    );
  };
  const row = await writeAndWake(ctx, deps, accept);
  ctx.state.logger().info({ landingId: row.id, ticketId }, 'landing accepted');
  ctx.set('Location', landing.uriOf(row.id));
  answerWritten(ctx, deps, 202, landing, row.get({ plain: true }), { isNew: true });
}

/** The queue of a landing's builds where its request names none; null where it may not be, or a webhook is told. */
function queueOfBuilds(
  { state: { actor } }: ApiContext,
  { targets }: HandlerDependencies,
  { webhookId }: { webhookId: number | null },
  ticketId: number,
): string | null {
  const queue = queueOfTicket(ticketId);
  return webhookId === null && isQueueAllowed(targets, actor, queue) ? queue : null;
}

/**
 * The policy that holds for a landing's target now, and its row. That is locked before its ticket, as a report does it:
 * in another order, the two could wait for each other.
 *
 * @throws AirlineError `not_found`
 */
async function policyNow(
  { database, landingPolicies }: HandlerDependencies,
  id: number,
  transaction: Transaction,
) {
  const lock = transaction.LOCK.UPDATE;
  const found = await database.Landing.findByPk(id, { transaction, lock });
  if (!found) notFound(landing, String(id));
  return { policy: policyOf(landingPolicies, found.landingTarget), found };
}

/** Changes a landing and answers with its row. */
async function change(
  ctx: ApiContext,
  deps: HandlerDependencies,
  write: (id: number, context: InTransaction) => Promise<Landing | null>,
): Promise<void> {
  const id = pathId(landing, idOf(ctx));
  const row = await writeAndWake(ctx, deps, (context) => write(id, context));
  if (!row) notFound(landing, idOf(ctx));
  answerWritten(ctx, deps, 202, landing, row.get({ plain: true }));
}
