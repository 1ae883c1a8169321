import type { Transaction } from 'sequelize';
import { z } from 'zod';
import { assertTargetsAllowed, targetsOfBuild } from '../../domain/access/target-rule.ts';
import { assertMayBuildIn } from '../../domain/landings/landing-permission.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import type { Build } from '../../models/builds/build.ts';
import type { Database } from '../../models/database.ts';
import type { Row } from '../../models/sql/query.ts';
import type { HandlerDependencies, ResourceDependencies } from '../dependencies.ts';
import { answerPage, answerWritten } from '../rest/answers.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { wholeMeta } from '../rest/list-query.ts';
import { notFound, pathId, readOne } from '../rest/read-resource.ts';
import { pageSchema, answerSchema } from '../rest/request-schema.ts';
import { assertNotBeingLanded } from '../requests/assert-not-being-landed.ts';
import { assertOutsidePool } from '../requests/assert-outside-pool.ts';
import { assertTakesBuilds } from '../requests/assert-takes-builds.ts';
import { idOf } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { build } from '../resources/build.ts';
import { assertStillProposed } from './assert-still-proposed.ts';

const ONLY_FAILED = 'Only what failed can be built again: give failed, or leave it out.';
const ARCHITECTURE = 'Name an architecture as the build shows it, such as amd64.';
const ARCHITECTURES = 'Name at least one architecture in a list, or leave it out.';
// Debian Policy 11.1; longer names do not exist.
const ARCHITECTURE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_ARCHITECTURES = 32;
const retrySchema = z
  .object({
    only: z.literal('failed', { error: ONLY_FAILED }).nullish().meta({
      description: 'What is built again: the architectures that failed. There is no other choice.',
    }),
    architectures: z
      .array(z.string(ARCHITECTURE).regex(ARCHITECTURE_NAME, ARCHITECTURE), ARCHITECTURES)
      .min(1, ARCHITECTURES)
      .max(MAX_ARCHITECTURES, `Name at most ${MAX_ARCHITECTURES} architectures.`)
      .nullish()
      .meta({
        description:
          'Which of the failed architectures to build again; all of them where it is left out. One that is not named stays failed, and so does the build.',
      }),
  })
  .meta({ title: 'retry_request' });

/** The fields of a build that each of its attempts has too. */
const OF_EACH_ATTEMPT = {
  attempt: true,
  requested_at: true,
  requested_by: true,
  retry_architectures: true,
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
    body: retrySchema.optional(),
    answers: {
      202: { description: 'It will be retried.', schema: answerSchema(build) },
    },
    errors: [
      'not_found',
      'conflict',
      'ticket_complete',
      'branch_busy',
      'invalid_field',
      'target_not_allowed',
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
  const given = ctx.request.body as Record<string, unknown>;
  const { data, error } = retrySchema.safeParse(given);
  if (error) throw refusal(problemsOf(error, given));
  const { actor } = ctx.state;
  const id = pathId(build, idOf(ctx));
  const { database, limits } = deps;
  const row = await writeAndWake(ctx, deps, async ({ transaction }) => {
    // A landing, its build, the ticket, a PPA of the pool, a proposal: in another order, two could wait for each other.
    const found = await database.Build.findByPk(id, { transaction });
    if (!found) notFound(build, idOf(ctx));
    if (found.landingId !== null) await database.Landing.assertEnded(found.landingId, transaction);
    await found.reload({ transaction, lock: transaction.LOCK.UPDATE });
    // As who requests a landing does, who may only share it otherwise.
    if (found.needsMerge) await database.Ticket.lock(found.ticketId, transaction);
    await assertTakesBuilds(database, found.ticketId, transaction);
    // A part of a landing has the landing's, and may have a PPA of the pool, which is for all.
    const { landingId } = found;
    const landing =
      landingId === null ? null : await database.Landing.findByPk(landingId, { transaction });
    assertTargetsAllowed(deps.targets, actor, landing?.targets ?? targetsOfBuild(found));
    if (!landing?.usesPool)
      assertMayBuildIn(deps.landingPolicies, acceptedPpa(found), found.series);
    await assertOutsidePool(database, found, transaction);
    if (found.needsMerge) await assertMayMerge(database, found, transaction);
    const asked = {
      requestedBy: actor.name,
      maxAttempts: limits.buildAttempts,
      architectures: data.architectures ?? undefined,
    };
    return database.Build.retry(id, asked, transaction);
  });
  if (!row) notFound(build, idOf(ctx));
  ctx.state.logger().info({ buildId: id, attempt: row.attempt }, 'retry requested');
  answerWritten(ctx, deps, 202, build, row.get({ plain: true }));
}

/**
 * Asserts that a build which has no source yet may make one of its merge proposal, as a new request of it has to. The
 * caller has locked its ticket; the proposal is locked, too, so that it stays as it is.
 *
 * @throws AirlineError `conflict`
 */
async function assertMayMerge(
  database: Database,
  { ticketId, subticketId }: Build,
  transaction: Transaction,
): Promise<void> {
  await assertNotBeingLanded(database, ticketId, transaction);
  const part = subticketId && (await database.Subticket.findByPk(subticketId, { transaction }));
  const proposal =
    part &&
    part.mergeProposalId &&
    (await database.MergeProposal.findByPk(part.mergeProposalId, {
      transaction,
      lock: transaction.LOCK.UPDATE,
    }));
  if (proposal) assertStillProposed(part, proposal);
}

async function listAttempts(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const row = await readOne(deps.database, build, idOf(ctx));
  const id = row['id'] as number;
  const earlier = await deps.database.BuildAttempt.listBefore(id, row['attempt'] as number);
  const objects = [...earlier, row].map((attempt) => serializeAttempt(row, attempt, deps));
  answerPage(ctx, { meta: wholeMeta(objects.length), objects });
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
