import type { ParsedUrlQuery } from 'node:querystring';
import { AirlineError } from '../domain/errors.ts';
import type { Database } from '../models/database.ts';
import { readPage, readRow, type Row } from '../models/page.ts';
import { integer } from './fields.ts';
import { type Meta, pageMeta, readListQuery } from './list-query.ts';
import type { Resource } from './resource.ts';

/** One page of a resource, as Tastypie's lists are. */
export async function readList(
  database: Database,
  resource: Resource,
  query: ParsedUrlQuery,
): Promise<{ meta: Meta; objects: Record<string, unknown>[] }> {
  const selection = readListQuery(resource, query);
  const { rows, totalCount } = await readPage(resource.model(database), selection);
  return {
    meta: pageMeta(`/api/v1/${resource.name}/`, query, selection, totalCount),
    objects: rows.map((row) => resource.show(row)),
  };
}

/**
 * The row of a resource.
 *
 * @param id as the path has it
 * @throws AirlineError `not_found`
 */
export async function readOne(database: Database, resource: Resource, id: string): Promise<Row> {
  const row = await readRow(resource.model(database), pathId(resource, id));
  return row ?? notFound(resource, id);
}

/**
 * The id of a path.
 *
 * @throws AirlineError `not_found` where it is no id
 */
export function pathId(resource: Pick<Resource, 'name'>, id: string): number {
  return integer(id) ?? notFound(resource, id);
}

export function notFound(resource: Pick<Resource, 'name'>, id: string): never {
  throw new AirlineError('not_found', `There is no ${resource.name} ${id.slice(0, 20)}.`);
}
