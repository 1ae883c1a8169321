import type { Model, ModelStatic } from 'sequelize';
import type { Database } from '../models/database.ts';
import type { Conditions, Row } from '../models/page.ts';
import { integer, type Field } from './fields.ts';

type Fields = Readonly<Record<string, Field>>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type AttributeOf<Name extends string, F> =
  F extends Field<never>
    ? never
    : F extends Field<unknown, infer A>
      ? A extends string
        ? A
        : CamelCase<Name>
      : never;
type ValueOf<F> = F extends Field<infer Value> ? Value : never;

/** The values of a resource's fields by model attribute, as its actions take them. */
type Values<F extends Fields> = {
  [Name in keyof F & string as AttributeOf<Name, F[Name]>]: ValueOf<F[Name]>;
};

/** The declaration of a resource: everything that is particular to it. */
export type Declaration<F extends Fields> = {
  name: string;
  /** Other names under which it is served and accepted. */
  aliases?: readonly string[];
  model: (database: Database) => ModelStatic<Model>;
  fields: F;
  /** Fields by which a list can be filtered, besides `id`. */
  filters: readonly (keyof F & string)[];
  /** Fields by which a list can be ordered, besides `id`. */
  orders: readonly (keyof F & string)[];
  /** What a list gives where no filter names the same field or the id. */
  listsOnly?: Conditions;
  /** Adds a resource; undefined: POST is not allowed. */
  create?: (database: Database, values: Values<F>) => Promise<Model>;
  /** Changes what is given; null where there is no such id; undefined: PATCH is not allowed. */
  change?: (database: Database, id: number, values: Partial<Values<F>>) => Promise<Model | null>;
  /** Fields that are no column, made from the row. */
  derive?: (row: Row) => Readonly<Record<string, unknown>>;
};

/** A resource as the routes use it. */
export type Resource = {
  readonly name: string;
  readonly names: readonly string[];
  readonly model: (database: Database) => ModelStatic<Model>;
  readonly fields: Fields;
  readonly filters: readonly string[];
  readonly orders: readonly string[];
  readonly listsOnly: Conditions;
  readonly create:
    ((database: Database, values: Record<string, unknown>) => Promise<Model>) | undefined;
  readonly change:
    | ((database: Database, id: number, values: Record<string, unknown>) => Promise<Model | null>)
    | undefined;
  /** The model's attribute of a field. */
  attributeOf(field: string): string;
  /** The canonical URI of an id. */
  uriOf(id: number): string;
  /** The id in a URI of this resource, relative or absolute, under any of its names. */
  idOf(uri: string): number | undefined;
  /** The row as clients see it. */
  show(row: Row): Record<string, unknown>;
};

/** Makes a resource of its declaration. Every resource has `id`, `resource_uri`, `created_at` and `updated_at`. */
export function resource<const F extends Fields>(declaration: Declaration<F>): Resource {
  const { name, fields } = declaration;
  const names = [name, ...(declaration.aliases ?? [])];
  const uri = new RegExp(`^(?:https?://[^/?#]+)?/api/v1/(?:${names.join('|')})/(\\d+)/?$`);
  const attributeOf = (field: string) =>
    field === 'id' ? 'id' : (fields[field]?.attribute ?? camelCase(field));
  const uriOf = (id: number) => `/api/v1/${name}/${id}/`;
  return {
    name,
    names,
    model: declaration.model,
    fields,
    filters: declaration.filters,
    orders: declaration.orders,
    listsOnly: declaration.listsOnly ?? {},
    create: declaration.create as Resource['create'],
    change: declaration.change as Resource['change'],
    attributeOf,
    uriOf,
    idOf: (text) => integer(uri.exec(text)?.[1] ?? ''),
    show: (row) => ({
      id: row['id'],
      ...Object.fromEntries(
        Object.entries(fields).map(([field, { show }]) => [field, show(row[attributeOf(field)])]),
      ),
      ...declaration.derive?.(row),
      created_at: row['createdAt'],
      updated_at: row['updatedAt'],
      resource_uri: uriOf(row['id'] as number),
    }),
  };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
