import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { assertTargetsAllowed, targetsOfBuild } from '../../domain/target-rule.ts';
import type { Row } from '../../models/sql/query.ts';
import type { HandlerDependencies, ResourceDependencies } from '../dependencies.ts';
import { answerPage, answerWritten } from '../rest/answers.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { notFound, pathId, readOne } from '../rest/read-resource.ts';
import { pageSchema, answerSchema } from '../rest/request-schema.ts';
import { assertOutsidePool } from './assert-outside-pool.ts';
import { assertTakesBuilds } from './assert-takes-builds.ts';
import { idOf } from '../rest/resource-routes.ts';
import { build } from '../resources/build.ts';

const ONLY_FAILED = 'Only what failed can be built again: give failed, or leave it out.';
const retrySchema = z
  .object({
    only: z.literal('failed', { error: ONLY_FAILED }).optional().meta({
      description: 'What is built again: the architectures that failed. There is no other choice.',
    }),
  })
  .meta({ title: 'retry_request' });

/** The fields of a build that each of its attempts has too. */
const OF_EACH_ATTEMPT = {
  attempt: true,
  requested_at: true,
  requested_by: true,
  dispatched_at: true,
  cancel_requested_at: true,
  cancel_requested_by: true,
  state: true,
  builds: true,
  logs: true,
  failure: true,
  finished_at: true,
  workflow_id: true,
  workflow_url: true,
} as const;

const attemptSchema = answerSchema(build)
  .pick(OF_EACH_ATTEMPT)
  .extend({ last_seq: z.int().meta({ description: 'The seq of its latest event.' }) })
  .meta({ title: 'attempt' });

/** The operations on attempts of a build: asking for one more, and how each ended. */
export const attemptOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/build/{id}/retry/',
    summary: 'Build again what failed, as one more attempt of the same build',
    scope: 'build:write',
    body: retrySchema,
    answers: {
      202: { description: 'It will be retried.', schema: answerSchema(build) },
    },
    errors: ['not_found', 'conflict', 'ticket_complete', 'invalid_field', 'target_not_allowed'],
    handle: retryBuild,
  },
  {
    method: 'get',
    path: '/api/v1/build/{id}/attempts/',
    summary: 'List the attempts of a build, in order',
    scope: 'read',
    answers: { 200: { description: 'All of them.', schema: pageSchema(attemptSchema) } },
    errors: ['not_found'],
    handle: listAttempts,
  },
];

async function retryBuild(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const { error } = retrySchema.safeParse(ctx.request.body);
  if (error)
    throw new AirlineError('invalid_field', ONLY_FAILED, { fields: { only: [ONLY_FAILED] } });
  const { actor, requestId, transaction } = ctx.state;
  const requestedBy = `${actor.name} (request ${requestId})`;
  const id = pathId(build, idOf(ctx));
  const maxAttempts = deps.limits.buildAttempts;
  const found = await readOne(deps.database, build, idOf(ctx));
  await assertTakesBuilds(deps.database, found['ticketId'] as number, transaction);
  const target = found as {
    ppa: string;
    archive: string;
    progressTrigger: string | null;
    landingId: number | null;
  };
  // Those of a landing were allowed with it, and may be in a PPA of the pool.
  if (target.landingId === null) assertTargetsAllowed(deps.targets, targetsOfBuild(target));
  await assertOutsidePool(deps.database, target, transaction);
  const row = await deps.database.Build.retry(id, requestedBy, maxAttempts, transaction);
  if (!row) notFound(build, idOf(ctx));
  if (transaction) transaction.afterCommit(deps.onBuildChange);
  else deps.onBuildChange();
  ctx.state.logger().info({ buildId: id, attempt: row.attempt }, 'retry requested');
  answerWritten(ctx, deps, 202, build, row.get({ plain: true }));
}

async function listAttempts(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const row = await readOne(deps.database, build, idOf(ctx));
  const id = row['id'] as number;
  const earlier = await deps.database.BuildAttempt.listBefore(id, row['attempt'] as number);
  const objects = [...earlier, row].map((attempt) => serializeAttempt(row, attempt, deps));
  const meta = { limit: objects.length, next: null, offset: 0, previous: null };
  answerPage(ctx, { meta: { ...meta, total_count: objects.length }, objects });
}

/** An attempt, in the form that the build's own answer has for the latest one. */
function serializeAttempt(
  row: Row,
  attempt: Row,
  deps: ResourceDependencies,
): Record<string, unknown> {
  const answer = build.serialize({ ...row, ...attempt }, deps);
  const shared = Object.fromEntries(
    Object.keys(OF_EACH_ATTEMPT).map((name) => [name, answer[name]]),
  );
  return { ...shared, last_seq: attempt['lastSeq'] };
}
