import { hash } from 'node:crypto';
import type { Scope } from '../../domain/access/access.ts';
import type { Database } from '../../models/database.ts';
import type { StoredModel } from '../../models/sql/stored-model.ts';
import { integer } from './field-values.ts';
import { OWN_FIELDS } from './fields.ts';
import type { Field, Fields, ModelName, Resource } from './resource.ts';

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
type ValueOf<F> = F extends Field<infer Value, string | undefined, unknown> ? Value : never;

/** The values of a resource's fields by model attribute, as its model has to take them. */
type Values<F extends Fields> = {
  readonly [Name in keyof F & string as AttributeOf<Name, F[Name]>]: ValueOf<F[Name]>;
};

/** The names of the models that take the values of these fields. */
type ModelsTaking<F extends Fields> = {
  [Name in ModelName]: Database[Name] extends StoredModel<never, Values<F>> ? Name : never;
}[ModelName];

/** Where there is no such model, the compiler's message says so. */
type WritableModel<F extends Fields> = [ModelsTaking<F>] extends [never]
  ? 'No model has a column of the right type for each of these fields'
  : ModelsTaking<F>;

/** The declaration of a resource that is only read at its address. */
type ReadOnlyDeclaration<F extends Fields> = Pick<Resource, 'name' | 'summary' | 'model'> &
  Partial<Pick<Resource, 'derived' | 'errors' | 'parameters' | 'takesReason' | 'unfiltered'>> & {
    /** Where routes of its own add to those of every resource. */
    readonly methods?: Resource['methods'];
    /** Other names under which it is served and accepted. */
    readonly aliases?: readonly string[];
    /** Names of its views, whose URIs are taken as its own. */
    readonly views?: readonly string[];
    readonly fields: F;
    readonly filters: readonly (keyof F & string)[];
    readonly orders: readonly (keyof F & string)[];
    readonly defaultFilter?: Resource['defaultFilter'] & {
      readonly disabledBy: readonly ((keyof F & string) | 'id')[];
    };
  };

/** The declaration of a resource: everything that is particular to it. */
type Declaration<F extends Fields> = Omit<ReadOnlyDeclaration<F>, 'model'> & {
  readonly model: WritableModel<F>;
  readonly writeScope: Scope;
};

const READ: Resource['methods'] = { list: ['get'], detail: ['get'] };
const WRITTEN: Resource['methods'] = {
  list: ['get', 'post', 'patch'],
  detail: ['get', 'put', 'delete', 'patch'],
};

/** Makes a resource of its declaration. */
export function resource<const F extends Fields>(declaration: Declaration<F>): Resource {
  const { model, ...others } = declaration;
  return describe({ ...others, model: model as ModelName }, declaration.writeScope);
}

/** Makes a resource that is only read of its declaration. */
export function readOnlyResource<const F extends Fields>(
  declaration: ReadOnlyDeclaration<F>,
): Resource {
  return describe(declaration, undefined);
}

function describe(
  declaration: ReadOnlyDeclaration<Fields>,
  writeScope: Scope | undefined,
): Resource {
  const { name, derived = {} } = declaration;
  const { id, ...times } = OWN_FIELDS;
  const fields: Fields = { id, ...declaration.fields, ...times };
  const names = [name, ...(declaration.aliases ?? [])];
  const uriNames = [...names, ...(declaration.views ?? [])];
  const uriPattern = new RegExp(
    `^(?:https?://[^/?#]+)?/api/v1/(?:${uriNames.join('|')})/([0-9]{1,10})/?$`,
  );
  const attributes = new Map(
    Object.entries(fields).map(([field, { attribute }]) => [field, attribute ?? camelCase(field)]),
  );
  const attributeOf = (field: string) => attributes.get(field) ?? camelCase(field);
  const uriOf = (of: number) => `/api/v1/${name}/${of}/`;
  const columns = Object.entries(fields).map(
    ([field, { serialize }]) => [field, attributeOf(field), serialize] as const,
  );
  const derivations = Object.entries(derived).map(([field, { of }]) => [field, of] as const);
  return {
    ...declaration,
    names,
    writeScope,
    fields,
    form: formOf([...Object.keys(fields), ...Object.keys(derived)]),
    nested: {},
    defaultFilter: declaration.defaultFilter,
    parameters: declaration.parameters ?? {},
    methods: declaration.methods ?? (writeScope === undefined ? READ : WRITTEN),
    errors: declaration.errors ?? {},
    takesReason: declaration.takesReason ?? false,
    derived,
    unfiltered: ['resource_uri', ...Object.keys(derived), ...(declaration.unfiltered ?? [])],
    attributeOf,
    uriOf,
    uriPattern,
    idOf: (text) => integer(uriPattern.exec(text)?.[1] ?? ''),
    serialize: (row, deps) => {
      const object: Record<string, unknown> = {};
      for (const [field, attribute, serialize] of columns)
        object[field] = serialize(row[attribute]);
      for (const [field, of] of derivations) object[field] = of(row, deps);
      object['resource_uri'] = uriOf(row['id'] as number);
      return object;
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
  const serialize: Resource['serialize'] = (row, deps) => ({
    ...base.serialize(row, deps),
    resource_uri: uriOf(row['id'] as number),
  });
  return { ...base, name, names: [name], uriOf, serialize, ...changes };
}

/**
 * Some fields of a resource's rows under another name: for lists, which need not carry all that a row has.
 *
 * @param declaration.fields those of the resource that it has; its lists are filtered and ordered by these
 */
export function summaryOf(
  base: Resource,
  declaration: Pick<Resource, 'name' | 'summary' | 'derived'> & {
    readonly fields: readonly string[];
  },
): Resource {
  const has = (field: string) => declaration.fields.includes(field);
  return describe(
    {
      ...declaration,
      model: base.model,
      fields: Object.fromEntries(Object.entries(base.fields).filter(([field]) => has(field))),
      filters: base.filters.filter(has),
      unfiltered: [...Object.keys(base.fields).filter((field) => !has(field)), ...base.unfiltered],
      orders: base.orders.filter(has),
      parameters: base.parameters,
    },
    undefined,
  );
}

function formOf(shown: readonly string[]): string {
  return hash('sha1', shown.join(), 'base64url').slice(0, 8);
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
