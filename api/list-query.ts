import type { ParsedUrlQuery } from 'node:querystring';
import { AirlineError } from '../domain/errors.ts';
import type { Conditions, Selection } from '../models/page.ts';
import { integer } from './fields.ts';
import type { Resource } from './resource.ts';

const DEFAULT_LIMIT = 20;
const MOST_ROWS = 1_000;
const PAGING = new Set(['limit', 'offset', 'order_by', 'format']);

/** Where a page stands in its list, as Tastypie's `meta` has it. */
export type Meta = {
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  total_count: number;
};

/**
 * Reads the query of a list: `limit`, `offset`, `order_by`, and filters `field`, `field__exact` and `field__in`.
 * Unknown names are ignored, as Tastypie does.
 *
 * @throws AirlineError `invalid_field` with Tastypie's wording
 */
export function readListQuery(resource: Resource, query: ParsedUrlQuery): Selection {
  const conditions = readFilters(resource, query);
  const named = Object.keys(conditions);
  const standing = named.includes('id')
    ? []
    : Object.entries(resource.listsOnly).filter(([attribute]) => !named.includes(attribute));
  return {
    conditions: { ...Object.fromEntries(standing), ...conditions },
    order: readOrder(resource, query),
    ...readPaging(query),
  };
}

/** Reads `limit` and `offset`. A limit of 0, or above the most, means the most. */
export function readPaging(
  query: ParsedUrlQuery,
  defaultLimit = DEFAULT_LIMIT,
): { limit: number; offset: number } {
  const limit = wholeNumber('limit', query['limit'], defaultLimit);
  return {
    limit: limit === 0 ? MOST_ROWS : Math.min(limit, MOST_ROWS),
    offset: wholeNumber('offset', query['offset'], 0),
  };
}

/** The `meta` of a page; `next` and `previous` keep the request's other parameters. */
export function pageMeta(
  path: string,
  query: ParsedUrlQuery,
  { limit, offset }: { limit: number; offset: number },
  totalCount: number,
): Meta {
  const at = (start: number) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (name !== 'limit' && name !== 'offset')
        for (const one of [value ?? []].flat()) parameters.append(name, one);
    parameters.append('limit', String(limit));
    parameters.append('offset', String(start));
    return `${path}?${parameters.toString()}`;
  };
  return {
    limit,
    next: offset + limit < totalCount ? at(offset + limit) : null,
    offset,
    previous: offset - limit >= 0 ? at(offset - limit) : null,
    total_count: totalCount,
  };
}

function readFilters(resource: Resource, query: ParsedUrlQuery): Conditions {
  const conditions: Record<string, unknown> = {};
  for (const [parameter, given] of Object.entries(query)) {
    const [field = '', lookup = 'exact', ...rest] = parameter.split('__');
    if (PAGING.has(field) || given === undefined) continue;
    if (field !== 'id' && !Object.hasOwn(resource.fields, field)) continue;
    if (field !== 'id' && !resource.filters.includes(field))
      throw invalid(`The '${field}' field does not allow filtering.`);
    if (rest.length > 0 || (lookup !== 'exact' && lookup !== 'in'))
      throw invalid(
        `'${[lookup, ...rest].join('__').slice(0, 100)}' is not an allowed filter on the '${field}' field.`,
      );
    const texts =
      lookup === 'in' ? [given].flat().join(',').split(',') : [[given].flat().at(-1) ?? ''];
    const read = field === 'id' ? integer : resource.fields[field]?.filterValue;
    const values = texts.map((value) => read?.(value));
    if (values.includes(undefined))
      throw invalid('Invalid resource lookup data provided (mismatched type).');
    conditions[resource.attributeOf(field)] = values;
  }
  return conditions;
}

function readOrder(resource: Resource, query: ParsedUrlQuery): Selection['order'] {
  return [query['order_by'] ?? []].flat().map((given) => {
    const field = given.replace(/^-/, '');
    if (field !== 'id' && !resource.orders.includes(field))
      throw invalid(`The '${field.slice(0, 100)}' field does not allow ordering.`);
    return [resource.attributeOf(field), given.startsWith('-') ? 'DESC' : 'ASC'] as const;
  });
}

function wholeNumber(
  name: string,
  given: string | string[] | undefined,
  otherwise: number,
): number {
  const text = [given ?? []].flat().at(-1);
  if (text === undefined) return otherwise;
  if (!/^-?\d+$/.test(text))
    throw invalid(`Invalid ${name} '${text.slice(0, 100)}' provided. Please provide an integer.`);
  const value = integer(text);
  if (value === undefined)
    throw invalid(
      // Tastypie escapes the sign for HTML, and clients have seen it so.
      `Invalid ${name} '${text.slice(0, 100)}' provided. Please provide a positive integer &gt;= 0.`,
    );
  return value;
}

function invalid(message: string): AirlineError {
  return new AirlineError('invalid_field', message);
}
