import type { Model, ModelStatic, Transaction } from 'sequelize';
import { execute, quote, Values, type Row } from './statement.ts';
import { columnList, columnOf, sequelizeOf, tableOf } from './table.ts';

type Comparison =
  | 'exact'
  | 'iexact'
  | 'contains'
  | 'icontains'
  | 'startswith'
  | 'istartswith'
  | 'endswith'
  | 'iendswith'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte';

/** What rows must have. The lookups are Django's, which Tastypie's clients use. */
export type Condition =
  | { readonly attribute: string; readonly lookup: Comparison; readonly value: unknown }
  | { readonly attribute: string; readonly lookup: 'in'; readonly values: readonly unknown[] }
  | {
      readonly attribute: string;
      readonly lookup: 'range';
      readonly from: unknown;
      readonly to: unknown;
    }
  | { readonly attribute: string; readonly lookup: 'isnull'; readonly isNull: boolean }
  /** The row that is referred to meets conditions of its own. */
  | {
      readonly attribute: string;
      readonly lookup: 'refers';
      readonly model: ModelStatic<Model>;
      readonly conditions: readonly Condition[];
    }
  /** SQL of our own, never of a request: a planner matches it with a partial index only when it stands there as it is. */
  | { readonly sql: string }
  /** SQL of our own with values of a request, each of which is added and has a placeholder then. */
  | { readonly sqlWith: (placeholderOf: (value: unknown) => string) => string }
  /** A list of texts has this one among others. */
  | { readonly attribute: string; readonly lookup: 'has'; readonly value: string };

/** A condition on one attribute. */
type AttributeCondition = Extract<Condition, { readonly lookup: string }>;
export type Lookup = Exclude<AttributeCondition['lookup'], 'has'>;
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

const COMPARISONS: Record<Comparison, (column: string, value: string) => string> = {
  exact: (column, value) => `${column} = ${value}`,
  iexact: (column, value) => `lower(${column}) = lower(${value})`,
  contains: (column, value) => `strpos(${column}, ${value}) > 0`,
  icontains: (column, value) => `strpos(lower(${column}), lower(${value})) > 0`,
  startswith: (column, value) => `starts_with(${column}, ${value})`,
  istartswith: (column, value) => `starts_with(lower(${column}), lower(${value}))`,
  endswith: (column, value) => `right(${column}, length(${value})) = ${value}`,
  iendswith: (column, value) => `right(lower(${column}), length(${value})) = lower(${value})`,
  gt: (column, value) => `${column} > ${value}`,
  gte: (column, value) => `${column} >= ${value}`,
  lt: (column, value) => `${column} < ${value}`,
  lte: (column, value) => `${column} <= ${value}`,
};

/** Reads one page of a table, and how many rows there are on all pages, in one round trip. */
export async function selectPage(
  model: ModelStatic<Model>,
  { conditions, order, limit, offset, after = [] }: Selection,
): Promise<{ rows: readonly Row[]; totalCount: number }> {
  const values = new Values();
  const table = tableOf(model);
  const counted = where(model, conditions, values);
  const paged = where(model, [...conditions, ...after], values);
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
      ORDER BY ${orderBy((name) => columnOf(model, name))} LIMIT ${values.add(limit)} OFFSET ${values.add(offset)}
    ) page ON true
    ORDER BY ${orderBy((name) => `page.${quote(name)}`)}`;
  const isOneOff = order.length > 0 || [...conditions, ...after].some((one) => !('sql' in one));
  const rows = await execute(sequelizeOf(model), { text, values: values.list, isOneOff });
  return {
    rows: rows[0]?.['id'] === null ? [] : rows,
    totalCount: rows[0]?.['totalCount'] as number,
  };
}

/** Reads every row that meets the conditions, by id. For sets that are small by nature, such as a ticket's parts. */
export async function selectAll(
  model: ModelStatic<Model>,
  conditions: readonly Condition[],
  transaction?: Transaction,
): Promise<readonly Row[]> {
  const values = new Values();
  const text = `SELECT ${columnList(model)} FROM ${tableOf(model)}${where(model, conditions, values)} ORDER BY id`;
  return execute(sequelizeOf(model), { text, values: values.list }, transaction);
}

/** Reads the row of an id. */
export async function selectRow(
  model: ModelStatic<Model>,
  id: number,
  { transaction, lock = false }: { transaction?: Transaction | undefined; lock?: boolean } = {},
): Promise<Row | undefined> {
  const text = `SELECT ${columnList(model)} FROM ${tableOf(model)} WHERE id = $1${lock ? ' FOR UPDATE' : ''}`;
  return (await execute(sequelizeOf(model), { text, values: [id] }, transaction))[0];
}

/** Locks rows until the transaction ends, in the order of their ids, so that those who lock the same take turns. */
export async function lockRows(
  model: ModelStatic<Model>,
  ids: readonly number[],
  transaction: Transaction,
): Promise<void> {
  const text = `SELECT id FROM ${tableOf(model)} WHERE id = ANY($1) ORDER BY id FOR UPDATE`;
  await execute(sequelizeOf(model), { text, values: [ids] }, transaction);
}

function where(
  model: ModelStatic<Model>,
  conditions: readonly Condition[],
  values: Values,
): string {
  const parts = conditions.map((condition) => conditionSql(model, condition, values));
  return parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '';
}

function conditionSql(model: ModelStatic<Model>, condition: Condition, values: Values): string {
  if ('sql' in condition) return condition.sql;
  if ('sqlWith' in condition) return condition.sqlWith((value) => values.add(value));
  const named = columnOf(model, condition.attribute);
  const column = isTime(condition) ? `date_trunc('milliseconds', ${named})` : named;
  switch (condition.lookup) {
    case 'has':
      return `${column} @> ARRAY[${values.add(condition.value)}]::text[]`;
    case 'in':
      return `${column} = ANY(${values.add(condition.values)})`;
    case 'range':
      return `${column} BETWEEN ${values.add(condition.from)} AND ${values.add(condition.to)}`;
    case 'isnull':
      return `${column} IS ${condition.isNull ? '' : 'NOT '}NULL`;
    case 'refers': {
      const inner = where(condition.model, condition.conditions, values);
      return `${column} IN (SELECT id FROM ${tableOf(condition.model)}${inner})`;
    }
    default:
      return COMPARISONS[condition.lookup](column, values.add(condition.value));
  }
}

/** Times are shown to the millisecond, and compared so: else nothing would equal the time that a caller has read. */
function isTime(condition: AttributeCondition): boolean {
  if ('value' in condition) return condition.value instanceof Date;
  if ('values' in condition) return condition.values[0] instanceof Date;
  return 'from' in condition && condition.from instanceof Date;
}
