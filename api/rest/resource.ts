import type { Model, ModelStatic } from 'sequelize';
import type { z } from 'zod';
import type { Scope } from '../../domain/access.ts';
import type { Database } from '../../models/database.ts';
import type { Condition } from '../../models/select-rows.ts';
import type { Row } from '../../models/statement.ts';
import type { StoredModel } from '../../models/stored-model.ts';
import { integer } from './field-values.ts';
import { OWN_FIELDS, type Field } from './fields.ts';

export type Fields = Readonly<Record<string, Field>>;

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

/** The values of a resource's fields by model attribute, as its model takes them. */
type Values<F extends Fields> = {
  readonly [Name in keyof F & string as AttributeOf<Name, F[Name]>]: ValueOf<F[Name]>;
};

/** A list that gives only some rows, unless the caller asks for others by one of the fields. */
type Standing = { readonly conditions: readonly Condition[]; readonly liftedBy: readonly string[] };

/** A parameter of a list that is no field. */
type Parameter = {
  /** What it takes; a text that is none is a 400. */
  readonly schema: z.ZodType<string>;
  readonly help: string;
  readonly conditions: (text: string) => Condition[];
};

/** The declaration of a resource: everything that is particular to it. */
export type Declaration<F extends Fields> = {
  name: string;
  /** One sentence on what it is. */
  summary: string;
  /** Other names under which it is served and accepted. */
  aliases?: readonly string[];
  /** The model that it is read from and written by. */
  model: (database: Database) => StoredModel<never, Values<F>>;
  /** The scope that writing it takes. */
  writeScope: Scope;
  fields: F;
  /** Fields by which a list can be filtered, besides those that every resource has. */
  filters: readonly (keyof F & string)[];
  /** Fields by which a list can be ordered, besides those that every resource has. */
  orders: readonly (keyof F & string)[];
  /** What else a list can be asked for. */
  parameters?: Readonly<Record<string, Parameter>>;
  /** What a list gives where the caller names none of the fields. */
  listsOnly?: { conditions: readonly Condition[]; liftedBy: readonly (keyof F & string)[] };
  /** A body may say why it makes its change; the history keeps it. */
  takesReason?: boolean;
  /** Fields that are no column, made from the row, with their schema. */
  derived?: Readonly<
    Record<string, { shows: Field['shows']; help: string; of: (row: Row) => unknown }>
  >;
};

/** The declaration of a resource that is only read at its address. */
export type ReadOnlyDeclaration<F extends Fields> = Omit<
  Declaration<F>,
  'model' | 'writeScope' | 'takesReason'
> & {
  model: (database: Database) => ModelStatic<Model>;
};

type Written = {
  scope: Scope;
  model: (database: Database) => StoredModel<Record<string, unknown>, Record<string, unknown>>;
};

/** A resource as the routes use it. */
export type Resource = Readonly<
  Pick<Declaration<Fields>, 'name' | 'summary' | 'filters' | 'orders'> & {
    names: readonly string[];
    model: (database: Database) => ModelStatic<Model>;
    /** How it is written; undefined: it is only read. */
    written: Written | undefined;
    /** Its own and those that every resource has. */
    fields: Fields;
    listsOnly: Standing;
    parameters: Readonly<Record<string, Parameter>>;
    /** The methods of its list and of one of it, in small letters. */
    methods: { readonly list: readonly string[]; readonly detail: readonly string[] };
    takesReason: boolean;
    derived: NonNullable<Declaration<Fields>['derived']>;
    /** The model's attribute of a field. */
    attributeOf: (field: string) => string;
    /** Every URI of this resource, relative or absolute, under any of its names, with the id as its first group. */
    uriPattern: RegExp;
    /** The canonical URI of an id. */
    uriOf: (id: number) => string;
    /** The id in a URI of this resource, relative or absolute, under any of its names. */
    idOf: (uri: string) => number | undefined;
    /** The row as clients see it. */
    show: (row: Row) => Record<string, unknown>;
  }
>;

/** Makes a resource of its declaration. */
export function resource<const F extends Fields>(declaration: Declaration<F>): Resource {
  const { model, writeScope: scope } = declaration;
  return describe(declaration, { scope, model: model as unknown as Written['model'] });
}

/** Makes a resource that is only read of its declaration. */
export function readOnlyResource<const F extends Fields>(
  declaration: ReadOnlyDeclaration<F>,
): Resource {
  return describe(declaration, undefined);
}

function describe(
  declaration: ReadOnlyDeclaration<Fields> & { takesReason?: boolean },
  written: Written | undefined,
): Resource {
  const { name, derived = {} } = declaration;
  const { id, ...times } = OWN_FIELDS;
  const fields: Fields = { id, ...declaration.fields, ...times };
  const names = [name, ...(declaration.aliases ?? [])];
  const uriPattern = new RegExp(
    `^(?:https?://[^/?#]+)?/api/v1/(?:${names.join('|')})/([0-9]{1,10})/?$`,
  );
  const attributes = new Map(
    Object.entries(fields).map(([field, { attribute }]) => [field, attribute ?? camelCase(field)]),
  );
  const attributeOf = (field: string) => attributes.get(field) ?? camelCase(field);
  const uriOf = (of: number) => `/api/v1/${name}/${of}/`;
  const columns = Object.entries(fields).map(
    ([field, { show }]) => [field, attributeOf(field), show] as const,
  );
  const made = Object.entries(derived).map(([field, { of }]) => [field, of] as const);
  return {
    ...declaration,
    names,
    written,
    fields,
    listsOnly: declaration.listsOnly ?? { conditions: [], liftedBy: [] },
    parameters: declaration.parameters ?? {},
    methods: written
      ? { list: ['get', 'post', 'patch'], detail: ['get', 'put', 'delete', 'patch'] }
      : { list: ['get'], detail: ['get'] },
    takesReason: declaration.takesReason ?? false,
    derived,
    attributeOf,
    uriOf,
    uriPattern,
    idOf: (text) => integer(uriPattern.exec(text)?.[1] ?? ''),
    show: (row) => {
      const shown: Record<string, unknown> = {};
      for (const [field, attribute, show] of columns) shown[field] = show(row[attribute]);
      for (const [field, of] of made) shown[field] = of(row);
      shown['resource_uri'] = uriOf(row['id'] as number);
      return shown;
    },
  };
}

/** A resource under another name: the same rows and fields, its own `resource_uri` and methods. */
export function view(
  base: Resource,
  name: string,
  changes: Pick<Resource, 'methods'> & Partial<Resource>,
): Resource {
  const uriOf = (id: number) => `/api/v1/${name}/${id}/`;
  const show = (row: Row) => ({ ...base.show(row), resource_uri: uriOf(row['id'] as number) });
  return { ...base, name, names: [name], uriOf, show, ...changes };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
