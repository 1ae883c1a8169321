import type { ParsedUrlQuery } from 'node:querystring';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import { selectPage, selectRow, selectRows } from '../../models/sql/read-rows.ts';
import type { Row } from '../../models/sql/query.ts';
import type { ResourceDependencies } from '../dependencies.ts';
import { integer } from './field-values.ts';
import { pageMeta, readListQuery, type Meta } from './list-query.ts';
import type { Resource } from './resource.ts';

const MAX_OF_A_SET = 1_000;

/** A page of a list in Tastypie's envelope. */
export type Page = { meta: Meta; objects: Record<string, unknown>[] };

/** One page of a resource, as Tastypie's lists are. */
export async function readList(
  deps: ResourceDependencies,
  resource: Resource,
  query: ParsedUrlQuery,
): Promise<Page> {
  const { selection, paging } = readListQuery(deps.database, resource, query);
  const { rows, totalCount, isCut } = await selectPage(deps.database[resource.model], selection);
  const lastId =
    isCut || rows.length === paging.limit ? (rows.at(-1)?.['id'] as number | undefined) : undefined;
  const place = { lastId, ...(isCut ? { count: rows.length } : {}) };
  return {
    meta: pageMeta(`/api/v1/${resource.name}/`, query, paging, totalCount, place),
    objects: rows.map((row) => resource.serialize(row, deps)),
  };
}

/**
 * The row of a resource.
 *
 * @param id as the path has it
 * @throws AirlineError `not_found`
 */
export async function readOne(database: Database, resource: Resource, id: string): Promise<Row> {
  const row = await selectRow(database[resource.model], pathId(resource, id));
  return row ?? notFound(resource, id);
}

/**
 * The rows of several ids, each once, and the ids that have no row, as Tastypie's `set/1;3/` gives them.
 *
 * @throws AirlineError `invalid_field` where there are too many, `answer_too_large` where the rows are too large
 * together
 */
export async function readSet(
  deps: ResourceDependencies,
  resource: Resource,
  ids: string,
): Promise<{ objects: Record<string, unknown>[]; not_found?: string[] }> {
  const asked = [...new Set(ids.split(';').filter((id) => id !== ''))];
  if (asked.length > MAX_OF_A_SET)
    throw new AirlineError('invalid_field', `A set has at most ${MAX_OF_A_SET} ids.`);
  const values = new Set(asked.map(integer).filter((id) => id !== undefined));
  const rows = await selectRows(deps.database[resource.model], [...values]);
  if (rows === null)
    throw new AirlineError(
      'answer_too_large',
      `These ${values.size} of ${resource.name} are too large for one answer.`,
    );
  const found = new Map(rows.map((row) => [row['id'], row]));
  const missing = asked.filter((id) => !found.has(integer(id)));
  return {
    objects: [...values].flatMap((id) => {
      const row = found.get(id);
      return row ? [resource.serialize(row, deps)] : [];
    }),
    ...(missing.length > 0 ? { not_found: missing } : {}),
  };
}

/**
 * The id of a path.
 *
 * @throws AirlineError `not_found` if it is not an id
 */
export function pathId(resource: Pick<Resource, 'name'>, id: string): number {
  // No row has the id 0.
  return integer(id) || notFound(resource, id);
}

/**
 * The row of an id, which has to be there.
 *
 * @throws AirlineError `not_found`
 */
export function orNotFound<T>(row: T | null, resource: Pick<Resource, 'name'>, id: number): T {
  return row ?? notFound(resource, String(id));
}

/** @throws AirlineError `not_found` always: the resource has no row of this id. @param id as the path has it */
export function notFound(resource: Pick<Resource, 'name'>, id: string): never {
  throw new AirlineError('not_found', `There is no ${resource.name} ${id.slice(0, 20)}.`);
}
