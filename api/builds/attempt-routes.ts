import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { Row } from '../../models/sql/query.ts';
import type { HandlerDependencies, ResourceDependencies } from '../dependencies.ts';
import { answerPage, answerWritten } from '../rest/answers.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import {
  architectureBuildSchema,
  buildStateSchema,
  failureSchema,
} from '../resources/progress-schemas.ts';
import { notFound, pathId, readOne } from '../rest/read-resource.ts';
import { pageSchema, answerSchema } from '../rest/request-schema.ts';
import { idOf } from '../rest/resource-routes.ts';
import { build, workflowIdOf } from '../resources/build.ts';

const ONLY_FAILED = 'Only what failed can be built again: give failed, or leave it out.';
const retrySchema = z
  .object({
    only: z.literal('failed', { error: ONLY_FAILED }).optional().meta({
      description: 'What is built again: the architectures that failed. There is no other choice.',
    }),
  })
  .meta({ title: 'retry_request' });

const attemptSchema = z
  .object({
    attempt: z.int(),
    requested_at: z.iso.datetime(),
    requested_by: z.string().nullable(),
    dispatched_at: z.iso.datetime().nullable(),
    cancel_requested_at: z.iso.datetime().nullable(),
    cancel_requested_by: z.string().nullable(),
    state: buildStateSchema,
    builds: z.array(architectureBuildSchema),
    logs: z.array(z.string()),
    failure: failureSchema.nullable(),
    last_seq: z.int().meta({ description: 'The seq of its latest event.' }),
    finished_at: z.iso.datetime().nullable(),
    workflow_id: z.string(),
    workflow_url: z.string().nullable(),
  })
  .meta({ title: 'attempt' });

/** The operations on attempts of a build: asking for one more, and what became of each. */
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
    errors: [
      'not_found',
      'conflict',
      'malformed_json',
      'invalid_field',
      'too_large',
      'unsupported_media_type',
    ],
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
  const row = await deps.database.Build.retry(id, requestedBy, maxAttempts, transaction);
  if (!row) notFound(build, idOf(ctx));
  if (transaction) transaction.afterCommit(deps.onBuildChange);
  else deps.onBuildChange();
  ctx.state.logger().info({ buildId: id, attempt: row.attempt }, 'retry requested');
  answerWritten(ctx, deps, 202, build, row.get({ plain: true }));
}

async function listAttempts(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const row = await readOne(deps.database, build, idOf(ctx));
  const attempts = await deps.database.BuildAttempt.listAll(row['id'] as number);
  const objects = attempts.map((attempt) => serializeAttempt(row, attempt, deps));
  const meta = { limit: objects.length, next: null, offset: 0, previous: null };
  answerPage(ctx, { meta: { ...meta, total_count: objects.length }, objects });
}

function serializeAttempt(
  row: Row,
  attempt: Row,
  { workflowUrl }: ResourceDependencies,
): Record<string, unknown> {
  const { architecture_builds: builds, ...rest } = attempt;
  const workflowId = workflowIdOf(row, attempt['attempt'] as number);
  return { ...rest, builds, workflow_id: workflowId, workflow_url: workflowUrl(workflowId) };
}
