import type { ParsedUrlQuery } from 'node:querystring';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { integer } from './field-values.ts';

/** The parameter by which a caller goes on with an ordered list that it has read before. */
export const afterParameter = {
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .meta({ description: 'Give what comes after this seq.' }),
};

/** Reads `after`; 0 where it is not given. */
export function readAfter(query: ParsedUrlQuery): number {
  return readSeq('after', [query['after'] ?? '0'].flat().at(-1));
}

/** @throws AirlineError `invalid_field` */
export function readSeq(name: string, given: string | undefined): number {
  const value = integer(given ?? '');
  if (value === undefined)
    throw new AirlineError('invalid_field', `${name} is not a whole number of 0 or more.`);
  return value;
}
