import type { Model, ModelStatic, Sequelize } from 'sequelize';
import { BoundValues, whereSql, type Condition } from './conditions.ts';
import { columnList, columnOf, quote, tableOf } from './identifiers.ts';
import { query, type Row } from './query.ts';

/*
 * The two reads that the API is measured by, a page with its count and one row. They are SQL: Sequelize's finders cost
 * two round trips for the first and twice the time for the second (docs/decisions/0009-rest-layer.md).
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

/** Reads one page of a table, and how many rows there are on all pages, in one round trip. */
export async function selectPage(
  model: ModelStatic<Model>,
  { conditions, order, limit, offset, after = [] }: Selection,
): Promise<{ rows: readonly Row[]; totalCount: number }> {
  const values = new BoundValues();
  const table = tableOf(model);
  const counted = whereSql(model, conditions, values);
  const paged = whereSql(model, [...conditions, ...after], values);
  const sorted = [
    ...order,
    ...(order.some(([name]) => name === 'id') ? [] : [['id', 'ASC'] as const]),
  ];
  const orderBy = (of: (attribute: string) => string) =>
    sorted.map(([name, direction]) => `${of(name)} ${direction}`).join(', ');
  const text = `SELECT total.count AS "totalCount", page.*
    FROM (SELECT count(*)::integer AS count FROM ${table}${counted}) total
    LEFT JOIN (
      SELECT ${columnList(model)} FROM ${table}${paged}
      ORDER BY ${orderBy((name) => columnOf(model, name))} LIMIT ${values.bind(limit)} OFFSET ${values.bind(offset)}
    ) page ON true
    ORDER BY ${orderBy((name) => `page.${quote(name)}`)}`;
  const rows = await query(sequelizeOf(model), text, values.list);
  return {
    rows: rows[0]?.['id'] === null ? [] : rows,
    totalCount: rows[0]?.['totalCount'] as number,
  };
}

/** Reads the row of an id. */
export async function selectRow(model: ModelStatic<Model>, id: number): Promise<Row | undefined> {
  const text = `SELECT ${columnList(model)} FROM ${tableOf(model)} WHERE id = $1`;
  return (await query(sequelizeOf(model), text, [id]))[0];
}

function sequelizeOf(model: ModelStatic<Model>): Sequelize {
  if (!model.sequelize) throw new Error(`${model.name} belongs to no database`);
  return model.sequelize;
}
