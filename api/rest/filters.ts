import type { ParsedUrlQuery } from 'node:querystring';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import type { Condition, Lookup } from '../../models/sql/conditions.ts';
import { readBoolean } from './field-values.ts';
import { OWN_FIELD_NAMES } from './fields.ts';
import type { Field, Resource } from './resource.ts';

const OTHER_PARAMETERS = new Set([
  'limit',
  'offset',
  'cursor',
  'order_by',
  'format',
  'username',
  'api_key',
]);
const MAX_VALUES = 1_000;
const NULLS = ['nil', 'none', 'None', 'null'];

/** A parameter as it is given, once or several times. */
type Filter = { readonly parameter: string; readonly texts: readonly string[] };

/**
 * Reads the filters of a query: `field`, `field__lookup`, and `field__field` through a reference. What no field is
 * called is ignored.
 *
 * @returns the conditions, and the fields that they are on
 * @throws AirlineError `invalid_field` with Tastypie's wording; of a value that is of another type, with the parameter
 */
export function readFilters(
  database: Database,
  resource: Resource,
  query: ParsedUrlQuery,
): { conditions: Condition[]; fields: ReadonlySet<string> } {
  const conditions: Condition[] = [];
  const fields = new Set<string>();
  for (const [parameter, given] of Object.entries(query)) {
    const [name = '', ...path] = parameter.split('__');
    if (OTHER_PARAMETERS.has(name) || given === undefined || !isField(resource, name)) continue;
    const filter = { parameter, texts: [given].flat() };
    conditions.push(readFilter(database, resource, [name, ...path], filter));
    fields.add(name);
  }
  return { conditions, fields };
}

function readFilter(
  database: Database,
  resource: Resource,
  [name = '', ...path]: string[],
  filter: Filter,
): Condition {
  const field = resource.fields[name];
  if (!field || !isFiltered(resource, name))
    throw invalid(`The '${name.slice(0, 100)}' field does not allow filtering.`);
  const attribute = resource.attributeOf(name);
  const [next = 'exact', ...rest] = path;
  const { to } = field;
  if (to && Object.hasOwn(to.fields, next))
    return {
      attribute,
      lookup: 'refers',
      model: database[to.model],
      conditions: [readFilter(database, to, path, filter)],
    };
  if (rest.length > 0 || !isLookup(next))
    throw invalid(`The '${name}' field does not support relations.`);
  if (!field.lookups.includes(next))
    throw invalid(`'${next}' is not an allowed filter on the '${name}' field.`);
  return readCondition(field, attribute, next, filter);
}

function readCondition(
  field: Field,
  attribute: string,
  lookup: Exclude<Lookup, 'refers'>,
  { parameter, texts }: Filter,
): Condition {
  const text = texts.at(-1) ?? '';
  const read = (one: string) => {
    const value = field.filterValue(one);
    if (value === undefined) throw mismatched(parameter);
    return value;
  };
  switch (lookup) {
    case 'in': {
      const isEmpty = texts.every((one) => one === '');
      const values = isEmpty ? [] : texts.join(',').split(',');
      if (values.length > MAX_VALUES)
        throw invalid(`An 'in' filter takes at most ${MAX_VALUES} values.`);
      return { attribute, lookup, values: values.map(read) };
    }
    case 'range': {
      const [from, to, ...more] = texts.join(',').split(',').map(read);
      if (to === undefined || more.length > 0) throw invalid("A 'range' filter takes two values.");
      return { attribute, lookup, from, to };
    }
    case 'isnull': {
      const isNull = readBoolean(text);
      if (isNull === undefined) throw mismatched(parameter);
      return { attribute, lookup, isNull };
    }
    case 'exact':
      if (NULLS.includes(text)) return { attribute, lookup: 'isnull', isNull: true };
      return { attribute, lookup, value: read(text) };
    default:
      return { attribute, lookup, value: read(text) };
  }
}

function isField({ fields, nested, unfiltered }: Resource, name: string): boolean {
  return Object.hasOwn(fields, name) || Object.hasOwn(nested, name) || unfiltered.includes(name);
}

function isFiltered(resource: Resource, field: string): boolean {
  return [...OWN_FIELD_NAMES, ...resource.filters].includes(field);
}

const LOOKUPS: Record<Exclude<Lookup, 'refers'>, true> = {
  exact: true,
  iexact: true,
  contains: true,
  icontains: true,
  startswith: true,
  istartswith: true,
  endswith: true,
  iendswith: true,
  in: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  range: true,
  isnull: true,
};

function isLookup(word: string): word is Exclude<Lookup, 'refers'> {
  return Object.hasOwn(LOOKUPS, word);
}

function mismatched(parameter: string): AirlineError {
  return invalid(
    `Invalid resource lookup data provided (mismatched type): ${parameter.slice(0, 100)}.`,
  );
}

function invalid(message: string): AirlineError {
  return new AirlineError('invalid_field', message);
}
