import type { ParsedUrlQuery } from 'node:querystring';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import type { Condition } from '../../models/sql/conditions.ts';
import type { Order, Selection } from '../../models/sql/read-rows.ts';
import { parseQuery } from '../http/query.ts';
import { integer } from './field-values.ts';
import { OWN_FIELD_NAMES } from './fields.ts';
import { readFilters } from './filters.ts';
import { limitParameter, pageOf, pageParameters } from './page-parameters.ts';
import type { Resource } from './resource.ts';

/** The place of a page in its list, as Tastypie's `meta` has it. */
export type Meta = {
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  total_count: number;
};

/** A page of a list that a caller asks for. */
export type Paging = {
  limit: number;
  offset: number;
  /** Set where the caller pages by cursor: the id to go on after; 0 at the start. */
  cursor?: number;
};

/**
 * Reads the query of a list: paging, `order_by`, and filters. Unknown names are ignored, as Tastypie does.
 *
 * @throws AirlineError `invalid_field` with Tastypie's wording
 */
export function readListQuery(
  database: Database,
  resource: Resource,
  query: ParsedUrlQuery,
): { selection: Selection; paging: Paging } {
  const { conditions: filters, fields } = readFilters(database, resource, query);
  const conditions = [...filters, ...readParameters(resource, query)];
  const { conditions: byDefault = [], disabledBy = [] } = resource.defaultFilter ?? {};
  const isDisabled = disabledBy.some((field) => fields.has(field));
  const paging = readPaging(query);
  const order = readOrder(resource, query);
  return {
    selection: {
      conditions: isDisabled ? conditions : [...byDefault, ...conditions],
      order,
      limit: paging.limit,
      offset: paging.offset,
      after: afterCursor(paging, order),
    },
    paging,
  };
}

function readPaging(query: ParsedUrlQuery): Paging {
  const cursor = last(query['cursor']);
  if (cursor === undefined) return pageOf(parseQuery(pageParameters, query));
  const { limit } = pageOf(parseQuery(limitParameter, query));
  return { limit, offset: 0, cursor: readCursor(cursor) };
}

/**
 * The `meta` of a page; `next` and `previous` keep the request's other parameters.
 *
 * @param page.lastId the id of the page's last row, for a caller that pages by cursor; undefined at the end
 * @param page.count how many rows the page has, where there may be fewer than its limit
 */
export function pageMeta(
  path: string,
  query: ParsedUrlQuery,
  { limit, offset, cursor }: Paging,
  totalCount: number,
  { lastId, count = limit }: { lastId?: number | undefined; count?: number } = {},
): Meta {
  const link = (place: Record<string, string>) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (name !== 'limit' && name !== 'offset' && name !== 'cursor')
        for (const one of [value ?? []].flat()) parameters.append(name, one);
    parameters.append('limit', String(limit));
    for (const [name, value] of Object.entries(place)) parameters.append(name, value);
    return `${path}?${parameters.toString()}`;
  };
  const meta = { limit, offset, total_count: totalCount };
  if (cursor !== undefined) {
    const next = lastId === undefined ? null : link({ cursor: writeCursor(lastId) });
    return { ...meta, next, previous: null };
  }
  return {
    ...meta,
    next: offset + count < totalCount ? link({ offset: String(offset + count) }) : null,
    previous: offset - limit >= 0 ? link({ offset: String(offset - limit) }) : null,
  };
}

/** The `meta` of a list that is answered whole, whatever its length. */
export function wholeMeta(count: number): Meta {
  return { limit: count, next: null, offset: 0, previous: null, total_count: count };
}

function readParameters({ parameters }: Resource, query: ParsedUrlQuery): Condition[] {
  return Object.entries(parameters).flatMap(([name, { schema, conditions }]) => {
    const given = last(query[name]);
    if (given === undefined || given === '') return [];
    const parsed = schema.safeParse(given);
    if (parsed.success) return conditions(parsed.data);
    throw invalid(`Invalid ${name}: ${parsed.error.issues[0]?.message ?? ''}`);
  });
}

function readOrder(resource: Resource, query: ParsedUrlQuery): Order {
  const orders = [...OWN_FIELD_NAMES, ...resource.orders];
  return [query['order_by'] ?? []].flat().map((given) => {
    const field = given.replace(/^-/, '');
    if (!orders.includes(field))
      throw invalid(`The '${field.slice(0, 100)}' field does not allow ordering.`);
    return [resource.attributeOf(field), given.startsWith('-') ? 'DESC' : 'ASC'] as const;
  });
}

/** A cursor goes by the id, so that rows added or deleted meanwhile shift nothing. */
function afterCursor({ cursor }: Paging, order: Order): readonly Condition[] {
  if (cursor === undefined) return [];
  const [[attribute, direction] = ['id', 'ASC']] = order;
  if (attribute !== 'id' || order.length > 1)
    throw invalid(
      'Pages by cursor are in the order of the id: leave order_by out, or give id or -id.',
    );
  if (cursor === 0) return [];
  return [{ attribute: 'id', lookup: direction === 'ASC' ? 'gt' : 'lt', value: cursor }];
}

function writeCursor(id: number): string {
  return Buffer.from(`id:${id}`).toString('base64url');
}

function readCursor(cursor: string): number {
  if (cursor === '') return 0;
  const id = integer(/^id:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? '');
  if (id === undefined) throw invalid('The cursor is not one that this list gave.');
  return id;
}

function last(given: string | string[] | undefined): string | undefined {
  return [given ?? []].flat().at(-1);
}

function invalid(message: string): AirlineError {
  return new AirlineError('invalid_field', message);
}
