import type { Model, ModelStatic } from 'sequelize';
import type { z } from 'zod';
import type { Scope } from '../../domain/access/access.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import type { Condition, Lookup } from '../../models/sql/conditions.ts';
import type { Row } from '../../models/sql/query.ts';
import type { ResourceDependencies } from '../dependencies.ts';

/** What Tastypie calls the type of a field. */
export type Kind = 'string' | 'integer' | 'boolean' | 'datetime' | 'related' | 'json';

/**
 * How one field of a resource is read from a request, filtered by, and answered. `Value` is what its model takes,
 * `Given` what requests give: they differ for references only.
 */
export type Field<
  Value = unknown,
  Attribute extends string | undefined = string | undefined,
  Given = Value,
> = {
  readonly kind: Kind;
  readonly help: string;
  /** The model's attribute, where it is not the field's name in camel case. */
  readonly attribute: Attribute;
  /** What requests give. As lax as Tastypie: a number is a text, too. */
  readonly input: z.ZodType<Given>;
  /** What answers have. */
  readonly schema: z.ZodType;
  /** The value of a new resource if the request gives none; undefined if the field is required. */
  readonly default: Value | undefined;
  /** `never`: the field is ignored in requests. `after creation`: a new resource starts with the model's own value. */
  readonly writable: 'always' | 'on creation' | 'after creation' | 'never';
  /** No two of the resource have the same. */
  readonly unique?: boolean;
  /** How a list can be filtered by it. */
  readonly lookups: readonly Lookup[];
  /** Reads a filter's value; undefined if it is not a value of the field. */
  readonly filterValue: (text: string) => unknown;
  readonly serialize: (stored: unknown) => unknown;
  /** For a reference: the resource that it refers to. */
  readonly to?: Resource;
};

export type Fields = Readonly<Record<string, Field>>;

/** The name of a model on the database. */
export type ModelName = {
  [Name in keyof Database]: Database[Name] extends ModelStatic<Model> ? Name : never;
}[keyof Database];

/** A parameter of a list that is not a field. */
type Parameter = {
  /** The values that it takes; any other is a 400. */
  readonly schema: z.ZodType<string>;
  readonly help: string;
  readonly conditions: (text: string) => Condition[];
};

/** A field that is not a column but is made from the row. */
type DerivedField = {
  /** `string` where it says nothing else. */
  readonly kind?: Kind;
  readonly schema: z.ZodType;
  readonly help: string;
  readonly of: (row: Row, deps: ResourceDependencies) => unknown;
};

/** A field of one alone, which holds what belongs to it: others of a resource, or what is read from them. */
export type NestedField = Pick<Field, 'kind' | 'help' | 'schema' | 'to'>;

/** Which rows a list gives, unless the caller asks for others by one of the fields. */
type DefaultFilter = {
  /** The word for such a row. */
  readonly word: string;
  /** The sentence that says which rows those are. */
  readonly help: string;
  readonly conditions: readonly Condition[];
  readonly disabledBy: readonly string[];
};

/** A resource as the routes use it. It is static: each request gives it what it needs. */
export type Resource = {
  readonly name: string;
  /** The name, and others under which it is served and accepted. */
  readonly names: readonly string[];
  /** One sentence that says what it is. */
  readonly summary: string;
  readonly model: ModelName;
  /** The scope that writing it needs; undefined if it is read-only. */
  readonly writeScope: Scope | undefined;
  /** Its own fields and those of every resource. */
  readonly fields: Fields;
  readonly derived: Readonly<Record<string, DerivedField>>;
  /** Another for each choice of fields that its rows are answered with. */
  readonly form: string;
  /** Fields by which a list can be filtered, besides those that every resource has. */
  readonly filters: readonly string[];
  /** What is shown, by it or by what it is a summary of, and is no field: no list can be filtered by it. */
  readonly unfiltered: readonly string[];
  /** What one alone has besides; no list has it. */
  readonly nested: Readonly<Record<string, NestedField>>;
  /** Fields by which a list can be ordered, besides those that every resource has. */
  readonly orders: readonly string[];
  /** Other parameters that its list takes. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Undefined: its list gives all rows. */
  readonly defaultFilter: DefaultFilter | undefined;
  /** The methods of its list and of a single one, in lower case. */
  readonly methods: { readonly list: readonly string[]; readonly detail: readonly string[] };
  /** What the rules of its model refuse, besides what every resource does. */
  readonly errors: Readonly<
    Partial<Record<'creation' | 'change' | 'deletion', readonly ErrorCode[]>>
  >;
  /** A body may say why it makes its change; the history keeps it. */
  readonly takesReason: boolean;
  /** The model's attribute of a field. */
  readonly attributeOf: (field: string) => string;
  /** Every URI of this resource, relative or absolute, under any name of it or its views; the id is the first group. */
  readonly uriPattern: RegExp;
  /** The canonical URI of an id. */
  readonly uriOf: (id: number) => string;
  /** The id in a URI of this resource, relative or absolute, under any name of it or its views. */
  readonly idOf: (uri: string) => number | undefined;
  /** The row as answers have it. */
  readonly serialize: (row: Row, deps: ResourceDependencies) => Record<string, unknown>;
};
