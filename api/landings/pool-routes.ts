import { z } from 'zod';
import { assertMayPool } from '../../domain/landings/landing-permission.ts';
import type { InTransaction } from '../../models/sql/mutation-context.ts';
import type { PoolPpa } from '../../models/pool/pool-ppa.ts';
import { archiveText, ppaText, readPpaField } from '../requests/target-fields.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { poolPpa } from '../resources/pool-ppa.ts';
import { answerWritten } from '../rest/answers.ts';
import { notFound, pathId } from '../rest/read-resource.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf, resourceOperations } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { reasonText } from './reason-text.ts';

const additionSchema = z
  .looseObject({
    ppa: ppaText,
    archive: archiveText,
  })
  .meta({ title: 'ppa_pool_addition' });

const retirementSchema = z
  .looseObject({
    reason: reasonText('Why. It stays on the PPA.'),
  })
  .meta({ title: 'ppa_pool_retirement' });

const answers = (status: 201 | 202, description: string) => ({
  [status]: { description, schema: answerSchema(poolPpa) },
});

/** The operations on the pool of PPAs. */
export const poolOperations: readonly Operation[] = [
  ...resourceOperations(poolPpa),
  {
    method: 'post',
    path: '/api/v1/ppapool/',
    summary: 'Add a PPA to the pool, or bring back one that was retired',
    scope: 'admin',
    body: additionSchema,
    answers: answers(201, 'Added. It is looked at before a landing gets it.'),
    errors: ['invalid_field', 'conflict'],
    handle: async (ctx, deps) => {
      const given = bodyOf(ctx);
      const problems = problemsOf(additionSchema.safeParse(given).error, given);
      const ppa = readPpaField(given, problems);
      if (!ppa || problems.length > 0) throw refusal(problems);
      assertMayPool(deps.landingPolicies, ppa);
      await change(ctx, deps, 201, ({ transaction }) =>
        deps.database.PoolPpa.add(ppa, transaction),
      );
    },
  },
  {
    method: 'post',
    path: '/api/v1/ppapool/{id}/clean/',
    summary: 'Look at a PPA of the pool and empty it again, such as one that is quarantined',
    scope: 'admin',
    answers: answers(202, 'It is cleaned.'),
    errors: ['not_found', 'conflict'],
    handle: (ctx, deps) =>
      change(ctx, deps, 202, ({ transaction }) =>
        deps.database.PoolPpa.clean(pathId(poolPpa, idOf(ctx)), transaction),
      ),
  },
  {
    method: 'post',
    path: '/api/v1/ppapool/{id}/retire/',
    summary: 'Take a PPA out of the pool',
    scope: 'admin',
    body: retirementSchema,
    answers: answers(202, 'It is retired.'),
    errors: ['not_found', 'conflict', 'invalid_field'],
    handle: async (ctx, deps) => {
      const given = bodyOf(ctx);
      const { data, error } = retirementSchema.safeParse(given);
      if (!data) throw refusal(problemsOf(error, given));
      await change(ctx, deps, 202, ({ transaction }) =>
        deps.database.PoolPpa.retire(pathId(poolPpa, idOf(ctx)), data.reason, transaction),
      );
    },
  },
];

/** Changes the pool and answers with the PPA's row. */
async function change(
  ctx: ApiContext,
  deps: HandlerDependencies,
  status: 201 | 202,
  write: (context: InTransaction) => Promise<PoolPpa | null>,
): Promise<void> {
  const row = await writeAndWake(ctx, deps, write);
  if (!row) notFound(poolPpa, idOf(ctx));
  const { id, ppa, state } = row;
  ctx.state.logger().info({ poolPpaId: id, ppa, state, by: ctx.state.actor.name }, 'PPA changed');
  answerWritten(ctx, deps, status, poolPpa, row.get({ plain: true }));
}
