import type { Sequelize } from 'sequelize';
import { EVENT_TABLES, type EventOwner } from './event-tables.ts';
import { query } from './query.ts';

/** The rows of one page come to about so many bytes: it ends with the row that passes the bound. */
export const MAX_PAGE_BYTES = 8 * 2 ** 20;

/**
 * A smaller row counts as so many bytes and is not looked at closely, which would cost more than to read it. One with a
 * column that PostgreSQL keeps compressed is never small: 65,536 times the same letter are kept in 842 bytes.
 */
const SMALL_ROW_BYTES = 1_000;

/**
 * The first rows of a query that keep within `MAX_PAGE_BYTES`, at least one. Each has its columns, and `found`: how
 * many rows the query gives without the bound. The sizes are added up in the database, so that no process has to hold
 * what it does not show.
 *
 * @param rows a query of whole rows of a table
 * @param orderBy the order of the rows called `one`
 * @param columns those of `one` that are shown
 * @param counted what of `one` is measured
 */
export function withinPageBytes(
  rows: string,
  orderBy: string,
  columns: readonly string[],
  counted = 'one',
): string {
  const isSmall = [
    `pg_column_size(${counted}) < ${SMALL_ROW_BYTES}`,
    ...columns.map((column) => `pg_column_compression(one.${column}) IS NULL`),
  ].join(' AND ');
  return `SELECT * FROM (
      SELECT one.*, count(*) OVER ()::integer AS found, sum(
        CASE WHEN ${isSmall} THEN ${SMALL_ROW_BYTES} ELSE octet_length(${counted}::text) END
      ) OVER (ORDER BY ${orderBy} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${rows}) one
    ) measured WHERE bytes_before IS NULL OR bytes_before < ${MAX_PAGE_BYTES}`;
}

/**
 * The bodies of the events of a build or a landing after a `seq`, in order.
 *
 * @param isBounded as many as make a page; to measure them costs as much as to read them
 */
export async function selectEvents<Body>(
  sequelize: Sequelize,
  owner: EventOwner,
  { id, after, limit, isBounded }: { id: number; after: number; limit: number; isBounded: boolean },
): Promise<Body[]> {
  const { events, key } = EVENT_TABLES[owner];
  const asked = `SELECT seq, body FROM ${events} WHERE ${key} = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
  const rows = await query<{ body: Body }>(sequelize, isBounded ? boundedEvents(asked) : asked, [
    id,
    after,
    limit,
  ]);
  return rows.map(({ body }) => body);
}

/**
 * As many events as make a page of those that a query gives, in the order of their `seq`.
 *
 * @param asked gives seq and body
 */
export function boundedEvents(asked: string): string {
  const page = withinPageBytes(asked, 'one.seq', ['body'], 'one.body');
  return `SELECT seq, body FROM (${page}) page ORDER BY seq`;
}
