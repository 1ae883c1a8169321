import type { ParsedUrlQuery } from 'node:querystring';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';

/** The greatest number that the database's integer holds. */
export const MAX_INTEGER = 2 ** 31 - 1;

/**
 * A whole number in a query. Refuses what `Number` would also take, such as 1e3 or a blank.
 *
 * @param errors the error for a text that is not a whole number, and for a number that is too small or too large
 */
export function integerParameter(
  min: number,
  errors: { notInteger: (given: string) => string; outOfRange: (given: string) => string },
) {
  const outOfRange = ({ input }: { input?: unknown }) => errors.outOfRange(shorten(input));
  return z.preprocess(
    (given) => (typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given),
    z
      .int({
        error: (issue) =>
          issue.code === 'invalid_type'
            ? errors.notInteger(shorten(issue.input))
            : outOfRange(issue),
      })
      .min(min, { error: outOfRange })
      .max(MAX_INTEGER, { error: outOfRange }),
  );
}

function shorten(given: unknown): string {
  return String(given).slice(0, 100);
}

/**
 * Reads a query by its schema. Of a parameter that is given twice the last one counts, as in Django; others than the
 * schema's are ignored.
 *
 * @throws AirlineError `invalid_field` with the schema's text
 */
export function parseQuery<Query>(schema: z.ZodType<Query>, query: ParsedUrlQuery): Query {
  const given = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]),
  );
  const { data, error, success } = schema.safeParse(given);
  if (success) return data;
  // No `fields`: those of a resource's address would be taken for fields of the resource.
  throw new AirlineError('invalid_field', error.issues[0]?.message ?? '');
}

/**
 * Refuses another order of a list that has but one, and a cursor where there is none: whoever asks for the latest, and
 * is given the first, would take it for that. Other parameters that the schema lacks are ignored.
 *
 * @throws AirlineError `invalid_field`
 */
export function refuseOrders(schema: z.ZodObject, query: ParsedUrlQuery): void {
  const isLacking = (name: string) => name in query && !(name in schema.shape);
  if (!('limit' in schema.shape)) return;
  if (isLacking('order_by'))
    throw new AirlineError('invalid_field', 'This list has one order: leave order_by out.');
  if (isLacking('cursor'))
    throw new AirlineError('invalid_field', 'This list has no cursor: leave it out.');
}
