import type { Model, ModelStatic } from 'sequelize';
import { columnOf, tableOf } from './identifiers.ts';

/** Collects the values of a statement while its text is written. */
export class BoundValues {
  readonly list: unknown[] = [];

  /** The placeholder of a value. */
  bind(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

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
  /** Our own SQL, never from a request. The planner finds a partial index only if it is written as in that index. */
  | { readonly sql: string }
  /** SQL of our own with values of a request, each of which is added and has a placeholder then. */
  | { readonly sqlWith: (placeholderOf: (value: unknown) => string) => string }
  /** A list of texts has this one among others. */
  | { readonly attribute: string; readonly lookup: 'has'; readonly value: string };

/** A condition on one attribute. */
type AttributeCondition = Extract<Condition, { readonly lookup: string }>;
export type Lookup = Exclude<AttributeCondition['lookup'], 'has'>;

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

/** The WHERE of rows that meet all of the conditions; empty where there are none. */
export function whereSql(
  model: ModelStatic<Model>,
  conditions: readonly Condition[],
  values: BoundValues,
): string {
  const parts = conditions.map((condition) => conditionSql(model, condition, values));
  return parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '';
}

function conditionSql(
  model: ModelStatic<Model>,
  condition: Condition,
  values: BoundValues,
): string {
  if ('sql' in condition) return condition.sql;
  if ('sqlWith' in condition) return condition.sqlWith((value) => values.bind(value));
  const column = columnOf(model, condition.attribute);
  const ofTime = timeSql(column, condition, values);
  if (ofTime !== undefined) return ofTime;
  switch (condition.lookup) {
    case 'has':
      return `${column} @> ARRAY[${values.bind(condition.value)}]::text[]`;
    case 'in':
      return `${column} = ANY(${values.bind(condition.values)})`;
    case 'range':
      return `${column} BETWEEN ${values.bind(condition.from)} AND ${values.bind(condition.to)}`;
    case 'isnull':
      return `${column} IS ${condition.isNull ? '' : 'NOT '}NULL`;
    case 'refers': {
      const inner = whereSql(condition.model, condition.conditions, values);
      return `${column} IN (SELECT id FROM ${tableOf(condition.model)}${inner})`;
    }
    default:
      return COMPARISONS[condition.lookup](column, values.bind(condition.value));
  }
}

/**
 * Times are shown to the millisecond, and compared so: else nothing would equal the time that a caller has read. It is
 * the column itself that is compared, which an index has, with the end of the millisecond where that belongs to it.
 *
 * @returns undefined where there is no time, or nothing to change
 */
function timeSql(
  column: string,
  condition: AttributeCondition,
  values: BoundValues,
): string | undefined {
  if ('values' in condition)
    return condition.values[0] instanceof Date
      ? `date_trunc('milliseconds', ${column}) = ANY(${values.bind(condition.values)})`
      : undefined;
  const [from, to] =
    'from' in condition
      ? [condition.from, condition.to]
      : 'value' in condition
        ? [condition.value, condition.value]
        : [];
  if (!(from instanceof Date && to instanceof Date)) return undefined;
  const endOf = (time: Date) => values.bind(new Date(time.getTime() + 1));
  switch (condition.lookup) {
    case 'exact':
    case 'range':
      return `(${column} >= ${values.bind(from)} AND ${column} < ${endOf(to)})`;
    case 'gt':
      return `${column} >= ${endOf(from)}`;
    case 'lte':
      return `${column} < ${endOf(to)}`;
    default:
      return undefined;
  }
}
