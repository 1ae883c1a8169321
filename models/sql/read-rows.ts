import type { Model, ModelStatic, Sequelize } from 'sequelize';
import { batchedRead } from './batched-read.ts';
import { BoundValues, whereSql, type Condition } from './conditions.ts';
import { createRowEstimates, MAX_COUNTED, type RowEstimates } from './row-estimates.ts';
import { withinPageBytes } from './page-bytes.ts';
import { attributesOf, columnOf, isTime, quote, tableOf } from './identifiers.ts';
import { query, type Row } from './query.ts';
import { sharedRead } from './shared-read.ts';

/*
 * The two reads that the API is measured by, a page with its count and one row. They are SQL: Sequelize's finders cost
 * two round trips for the first and twice the time for the second (docs/decisions/0009-rest-layer.md). Their times are
 * RFC 3339 texts, in UTC, to the millisecond: these rows are shown, and a Date for each time costs more than the rest.
 */

export type Order = readonly (readonly [attribute: string, direction: 'ASC' | 'DESC'])[];

/** Which rows of a table, in which order, from where on. */
export type Selection = {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly limit: number;
  readonly offset: number;
  /** Give only rows after it: conditions that the page has and the count has not. */
  readonly after?: readonly Condition[];
};

type Page = {
  readonly rows: readonly Row[];
  /** All of them up to `MAX_COUNTED`; of more, about how many there are. */
  readonly totalCount: number;
  /** The page has fewer rows than were asked for: more would come to too many bytes. */
  readonly isCut: boolean;
};

/**
 * Reads one page of a table, and how many rows there are on all pages, in one round trip, once for all who ask now. The
 * rows of a page are bounded in bytes, too. No more than `MAX_COUNTED` rows are counted: PostgreSQL's estimate of more
 * costs a second round trip, now and then.
 */
export async function selectPage(model: ModelStatic<Model>, selection: Selection): Promise<Page> {
  const { conditions, order, limit, offset, after = [] } = selection;
  const countValues = new BoundValues();
  const table = tableOf(model);
  const { columns, shown, withTimes, page, estimates } = readerOf(model);
  const filter = whereSql(model, conditions, countValues);
  const all = [`SELECT FROM ${table}${filter}`, [...countValues.list]] as const;
  const isCounted = !estimates.wasAsked(...all);
  const count = isCounted
    ? `SELECT count(*)::integer AS count FROM (${all[0]} LIMIT ${MAX_COUNTED + 1}) counted`
    : `SELECT ${MAX_COUNTED + 1} AS count`;
  // A statement must not have values that nothing in it refers to.
  const values = isCounted ? countValues : new BoundValues();
  const paged = whereSql(model, [...conditions, ...after], values);
  const sorted = [
    ...order,
    ...(order.some(([name]) => name === 'id') ? [] : [['id', 'ASC'] as const]),
  ];
  const orderBy = (of: string) =>
    sorted.map(([name, direction]) => `${of}.${columnOf(model, name)} ${direction}`).join(', ');
  const asked = `SELECT * FROM ${table}${paged}
    ORDER BY ${orderBy(table)} LIMIT ${values.bind(limit)} OFFSET ${values.bind(offset)}`;
  const text = `SELECT total.count AS "totalCount", shown.found, ${columns}
    FROM (${count}) total
    LEFT JOIN (${withinPageBytes(asked, orderBy('one'), shown)}) shown ON true
    ORDER BY ${orderBy('shown')}`;
  return page(JSON.stringify([text, values.list]), async () => {
    const rows = await query<Record<string, unknown>>(sequelizeOf(model), text, values.list);
    const found = rows[0]?.['found'] as number | null;
    const counted = rows[0]?.['totalCount'] as number;
    return {
      rows: found === null ? [] : withTimes(rows),
      totalCount:
        counted > MAX_COUNTED
          ? await totalOf(selection, found ?? 0, () => estimates.ask(...all))
          : counted,
      isCut: found !== null && rows.length < found,
    };
  });
}

/**
 * About how many rows there are, where more than `MAX_COUNTED` are. A page that is reached by its offset says where
 * they end, or that they go on.
 */
async function totalOf(
  { offset, limit, after = [] }: Selection,
  found: number,
  estimate: () => Promise<number>,
): Promise<number> {
  const shown = offset + found;
  if (after.length > 0) return Math.max(MAX_COUNTED + 1, await estimate());
  if (found > 0 && found < limit) return shown;
  const about = Math.max(MAX_COUNTED + 1, await estimate());
  return found === 0 ? Math.min(offset, about) : Math.max(shown + 1, about);
}

/** Reads the row of an id, in one statement with the others of its table that are asked for at this moment. */
export async function selectRow(model: ModelStatic<Model>, id: number): Promise<Row | undefined> {
  return readerOf(model).byId(id);
}

/**
 * Reads the rows of several ids, in any order.
 *
 * @returns null where they are too large together to be read at once
 */
export async function selectRows(
  model: ModelStatic<Model>,
  ids: readonly number[],
): Promise<readonly Row[] | null> {
  const { columns, shown, withTimes } = readerOf(model);
  const asked = `SELECT * FROM ${tableOf(model)} WHERE id = ANY($1)`;
  const rows = await query<Record<string, unknown>>(
    sequelizeOf(model),
    `SELECT shown.found, ${columns} FROM (${withinPageBytes(asked, 'one.id', shown)}) shown`,
    [ids],
  );
  const [first] = rows;
  return first && rows.length < (first['found'] as number) ? null : withTimes(rows);
}

/** What the reads of a table's rows have in common. */
type Reader = {
  /** Every attribute of the row that is called `shown`. Never `*`: a migration must not change a prepared statement. */
  readonly columns: string;
  /** The columns of those attributes. */
  readonly shown: readonly string[];
  /** Gives a query's rows their times. */
  readonly withTimes: (rows: Record<string, unknown>[]) => readonly Row[];
  readonly byId: (id: number) => Promise<Row | undefined>;
  readonly page: ReturnType<typeof sharedRead<Page>>;
  readonly estimates: RowEstimates;
};

const readers = new WeakMap<ModelStatic<Model>, Reader>();

function readerOf(model: ModelStatic<Model>): Reader {
  const known = readers.get(model);
  if (known) return known;
  const times = attributesOf(model).filter((name) => isTime(model, name));
  const columns = attributesOf(model)
    .map((name) => {
      const column = `shown.${columnOf(model, name)}`;
      return `${times.includes(name) ? `${column}::text` : column} AS ${quote(name)}`;
    })
    .join(', ');
  const withTimes: Reader['withTimes'] = (rows) => {
    for (const row of rows)
      for (const name of times) if (row[name] !== null) row[name] = rfc3339(row[name] as string);
    return rows;
  };
  const text = `SELECT ${columns} FROM ${tableOf(model)} shown WHERE id = ANY($1)`;
  const byId = batchedRead(async (ids: readonly number[]) => {
    const rows = withTimes(await query(sequelizeOf(model), text, [ids]));
    return new Map(rows.map((row) => [row['id'] as number, row]));
  });
  const shown = attributesOf(model).map((name) => columnOf(model, name));
  const reader = {
    columns,
    shown,
    withTimes,
    byId,
    page: sharedRead<Page>(),
    estimates: createRowEstimates(sequelizeOf(model)),
  };
  readers.set(model, reader);
  return reader;
}

/**
 * @param time as PostgreSQL writes it where the session is in UTC, as Sequelize's are: `2026-11-21 12:00:00.123456+00`
 */
function rfc3339(time: string): string {
  const milliseconds = time.slice(20, -3).padEnd(3, '0').slice(0, 3);
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${milliseconds}Z`;
}

function sequelizeOf(model: ModelStatic<Model>): Sequelize {
  if (!model.sequelize) throw new Error(`${model.name} belongs to no database`);
  return model.sequelize;
}
