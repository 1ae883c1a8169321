import type { Transaction } from 'sequelize';
import { assertTargetsAllowed, targetsOfBuild } from '../../domain/access/target-rule.ts';
import { assertMayBuildIn } from '../../domain/landings/landing-permission.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import type { Build, BuildModel } from '../../models/builds/build.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import { assertOutsidePool } from '../requests/assert-outside-pool.ts';
import { build } from '../resources/build.ts';
import { answerWritten } from '../rest/answers.ts';
import { answerSchema } from '../rest/request-schema.ts';
import type { BuildTarget } from './build-request.ts';

/** What a request of a build is answered. */
export const acceptedAnswer = {
  description: 'Accepted; its progress goes to the queue and the events.',
  schema: answerSchema(build),
};

/**
 * Asserts that the caller may build in a PPA, and report to the queue, and that no landing needs the PPA for itself.
 *
 * @throws AirlineError `target_not_allowed`, `conflict`
 */
export async function assertTargetAllowed(
  ctx: ApiContext,
  deps: HandlerDependencies,
  target: BuildTarget,
  transaction: Transaction,
): Promise<void> {
  assertTargetsAllowed(deps.targets, ctx.state.actor, targetsOfBuild(target));
  assertMayBuildIn(deps.landingPolicies, acceptedPpa(target), target.series);
  await assertOutsidePool(deps.database, target, transaction);
}

/** Accepts a build for who asks. */
export function acceptBuild(
  ctx: ApiContext,
  { database }: HandlerDependencies,
  request: Omit<Parameters<BuildModel['accept']>[0], 'requestId' | 'requestedBy' | 'traceparent'>,
  transaction: Transaction,
): Promise<Build> {
  const { actor, requestId, traceparent = null } = ctx.state;
  return database.Build.accept(
    { ...request, requestId, requestedBy: actor.name, traceparent },
    transaction,
  );
}

/** Answers 202 with a build that was accepted, and logs it. */
export function answerAccepted(ctx: ApiContext, deps: HandlerDependencies, accepted: Build): void {
  const { id, ticketId, workflowId } = accepted;
  ctx.state.logger().info({ buildId: id, ticketId, workflowId }, 'build accepted');
  ctx.set('Location', build.uriOf(id));
  answerWritten(ctx, deps, 202, build, accepted.get({ plain: true }), { isNew: true });
}
