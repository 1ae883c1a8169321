import { z } from 'zod';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { integerParameter, MAX_INTEGER } from '../http/query.ts';

/** How many objects a page has if the caller does not say. */
export const DEFAULT_LIMIT = 20;
/** The same of a page of events or of a history. */
export const DEFAULT_ENTRIES = 1_000;

/** Tastypie's texts. It escapes the sign for HTML, and clients have seen it so. */
function count(name: string) {
  const invalid = (given: string) => `Invalid ${name} '${given}' provided. Please provide`;
  return integerParameter(0, {
    notInteger: (given) => `${invalid(given)} an integer.`,
    outOfRange: (given) => `${invalid(given)} a positive integer &gt;= 0.`,
  }).optional();
}

const limitOf = (defaultLimit: number) =>
  z.object({
    limit: count('limit').meta({
      description: `The largest number of objects; 0 or more than ${MAX_LIMIT} means ${MAX_LIMIT}. Default: ${defaultLimit}.`,
    }),
  });

/** How many objects a caller wants. */
export const limitParameter = limitOf(DEFAULT_LIMIT);

/** How many events, or changes of a history, a caller wants. */
export const entriesParameter = limitOf(DEFAULT_ENTRIES);

/** The parameters of paging, which every list has. */
export const pageParameters = limitParameter.extend({
  offset: count('offset').meta({ description: 'How many objects to skip.' }),
});

const notSeq = (name: string) => () => `${name} is not a whole number of 0 to ${MAX_INTEGER}.`;

/** The number of the last entry that a caller has of an ordered list. */
export function seqParameter(name: string) {
  return integerParameter(0, { notInteger: notSeq(name), outOfRange: notSeq(name) });
}

/** The parameter by which a caller goes on with an ordered list that it has read before. */
export const afterParameter = z.object({
  after: seqParameter('after').default(0).meta({ description: 'Give what comes after this seq.' }),
});

/** The query of a page of events. Old events are swept, so that how many come before one says nothing. */
export const eventsQuery = entriesParameter.extend({
  ...afterParameter.shape,
  offset: count('offset')
    .refine(
      (offset) => !offset,
      'Events are paged by after, as meta.next has it: leave offset out.',
    )
    .meta({ description: 'Only 0: events are paged by after.' }),
});
export type EventPage = z.output<typeof eventsQuery>;

/** The page that a caller asks for. A limit of 0, or above the largest, means the largest. */
export function pageOf(
  { limit, offset }: { limit?: number | undefined; offset?: number | undefined },
  defaultLimit = DEFAULT_LIMIT,
): { limit: number; offset: number } {
  return { limit: Math.min(limit ?? defaultLimit, MAX_LIMIT) || MAX_LIMIT, offset: offset ?? 0 };
}
