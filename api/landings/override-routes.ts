import { z } from 'zod';
import { MAX_OVERRIDE_DAYS } from '../../domain/testing/override-days.ts';
import type { InTransaction } from '../../models/sql/mutation-context.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { testOverride } from '../resources/test-override.ts';
import { answerWritten } from '../rest/answers.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { answerSchema } from '../rest/request-schema.ts';
import { bodyOf, resourceOperations } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { filledText, reasonText } from './reason-text.ts';
import { zonedTime } from './zoned-time.ts';

// As a source package's name has.
const MAX_SOURCE_LENGTH = 255;
const DAY_MS = 86_400_000;

const optionalText = (error: string, description: string) =>
  filledText(error).nullable().default(null).meta({ description });

const overrideSchema = z
  .object({
    source: filledText('Name the source package.', MAX_SOURCE_LENGTH).meta({
      description: 'The source package whose tests it is about.',
    }),
    test: optionalText(
      'Name the test.',
      'The name of the test; without one, all tests of the source.',
    ),
    architecture: optionalText(
      'Name the architecture.',
      'The architecture; without one, all of them.',
    ),
    reason: reasonText('Why it does not count. It stays on the override.'),
    valid_until: zonedTime.meta({
      description: `Until when it counts; at most ${MAX_OVERRIDE_DAYS} days from now.`,
    }),
  })
  .meta({ title: 'test_override_request' });

/** The operations on overrides of tests: none is ever changed or deleted. */
export const overrideOperations: readonly Operation[] = [
  ...resourceOperations(testOverride),
  {
    method: 'post',
    path: '/api/v1/testoverride/',
    summary: 'Say that a test that does not pass does not count, until a time',
    scope: 'landing:approve',
    resource: testOverride.name,
    body: overrideSchema,
    answers: {
      201: {
        description: 'Kept. Landings that wait are judged again.',
        schema: answerSchema(testOverride),
      },
    },
    errors: ['invalid_field'],
    handle: addOverride,
  },
];

async function addOverride(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const body = bodyOf(ctx);
  const nowMs = deps.now().getTime();
  const { data, error } = overrideSchema
    .refine(({ valid_until: until }) => isNear(Date.parse(until) - nowMs), {
      path: ['valid_until'],
      error: `Enter a time in the next ${MAX_OVERRIDE_DAYS} days.`,
    })
    .safeParse(body);
  if (!data) throw refusal(problemsOf(error, body));
  const { valid_until: validUntil, ...of } = data;
  const { database } = deps;
  const add = async ({ transaction }: InTransaction) => {
    const made = await database.TestOverride.add(
      { ...of, validUntil: new Date(validUntil), overriddenBy: ctx.state.actor.name },
      transaction,
    );
    await database.Landing.wakeForSource(of.source, transaction);
    return made;
  };
  const row = await writeAndWake(ctx, deps, add);
  ctx.set('Location', testOverride.uriOf(row.id));
  answerWritten(ctx, deps, 201, testOverride, row.get({ plain: true }));
}

function isNear(ms: number): boolean {
  return ms > 0 && ms <= MAX_OVERRIDE_DAYS * DAY_MS;
}
