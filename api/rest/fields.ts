import { z } from 'zod';
import { isWorkflowStep, WORKFLOW_STEPS, type WorkflowStep } from '../../domain/ticket.ts';
import type { Lookup } from '../../models/select-rows.ts';
import {
  EMAIL,
  EMAIL_OR_NONE,
  NOT_BLANK,
  NOT_STORABLE,
  readBoolean,
  readInteger,
  readText,
  readTime,
  STORABLE,
} from './field-values.ts';
import type { Resource } from './resource.ts';

/** What Tastypie calls the type of a field. */
type Kind = 'string' | 'integer' | 'boolean' | 'datetime' | 'related' | 'json';

/** How one field of a resource is read from a request, filtered by, and shown. */
export type Field<Value = unknown, Attribute extends string | undefined = string | undefined> = {
  readonly kind: Kind;
  readonly help: string;
  /** The model's attribute, where it is not the field's name in camel case. */
  readonly attribute: Attribute;
  /** Reads the field from a request. Lax as Tastypie is: a number is a text, too. */
  readonly schema: z.ZodType<Value>;
  /** What is shown. */
  readonly shows: z.ZodType;
  /** What a new resource takes where the request does not say; undefined: the field is required. */
  readonly otherwise: Value | undefined;
  /** `never`: the field is ignored in requests. `after creation`: a new resource starts with the model's own value. */
  readonly writable: 'always' | 'on creation' | 'after creation' | 'never';
  /** How a list can be filtered by it. */
  readonly lookups: readonly Lookup[];
  /** Reads a filter's value; undefined where it is no value of the field. */
  readonly filterValue: (text: string) => unknown;
  readonly show: (stored: unknown) => unknown;
  /** For a reference: the resource that it refers to. */
  readonly to?: Resource;
};

type Described = { help: string };

const ORDERED = ['exact', 'in', 'gt', 'gte', 'lt', 'lte', 'range', 'isnull'] as const;
const TEXTUAL = [
  ...ORDERED,
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
] as const;

const REQUIRED = 'This field is required.';
const NOT_STORED = 'The text has characters that cannot be stored.';
const STEPS = Object.keys(WORKFLOW_STEPS);

const BASE = {
  attribute: undefined,
  writable: 'always',
  filterValue: readText,
  show: (stored: unknown) => stored,
} as const;

function isStorable(value: string): boolean {
  return !NOT_STORABLE.test(value);
}

function limited(string: z.ZodString, maxLength: number | undefined): z.ZodString {
  if (maxLength === undefined) return string;
  return string.max(maxLength, `Ensure this value has at most ${maxLength} characters.`);
}

/**
 * A text as Tastypie takes it: whole numbers and truth values are texts, too. Required and not blank, unless
 * `otherwise` says what stands for it.
 */
export function text(
  options: Described & { otherwise?: string; maxLength?: number },
): Field<string, undefined> {
  const { otherwise, maxLength } = options;
  const string = z.string().regex(otherwise === undefined ? NOT_BLANK : STORABLE, {
    error: ({ input }) => (isStorable(String(input)) ? REQUIRED : NOT_STORED),
  });
  return {
    ...BASE,
    kind: 'string',
    help: options.help,
    schema: z
      .union([limited(string, maxLength), z.int(), z.boolean()], { error: 'Enter a text.' })
      .transform(String)
      .refine(isStorable, NOT_STORED),
    shows: z.string(),
    otherwise,
    lookups: TEXTUAL,
  };
}

/** An e-mail address. Required, unless it may be empty. */
export function email(
  options: Described & { otherwise?: ''; maxLength?: number },
): Field<string, undefined> {
  const error = 'Enter a valid email address.';
  const string = z.string({ error }).regex(options.otherwise === '' ? EMAIL_OR_NONE : EMAIL, error);
  const schema = limited(string, options.maxLength).refine(isStorable, NOT_STORED);
  return { ...text(options), schema };
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(
  words: T,
  options: Described & { otherwise?: T[number] },
): Field<T[number], undefined> {
  const schema = z.enum(words, { error: `Select one of ${words.join(', ')}.` });
  return {
    ...BASE,
    kind: 'string',
    ...options,
    schema,
    shows: schema,
    otherwise: options.otherwise,
    lookups: TEXTUAL,
  };
}

/** A truth value; the texts True and False are taken, as old clients send them. */
export function boolean(options: Described & { otherwise: boolean }): Field<boolean, undefined> {
  const schema = z
    .union(
      [z.boolean(), z.literal(['True', 'False', 'true', 'false', '1', '0']), z.literal([0, 1])],
      {
        error: 'Enter true or false.',
      },
    )
    .transform((value) => readBoolean(String(value)) ?? false);
  return {
    ...BASE,
    kind: 'boolean',
    ...options,
    schema,
    shows: z.boolean(),
    lookups: ['exact'],
    filterValue: readBoolean,
  };
}

/** A value of the step table; shown as a text, as the specification has it. */
export function workflowStep(options: Described): Field<WorkflowStep, undefined> {
  const schema = z
    .union([z.enum(STEPS), z.literal(STEPS.map(Number))], {
      error: `Select one of ${STEPS.join(', ')}.`,
    })
    .transform(Number)
    .refine(isWorkflowStep);
  return {
    ...BASE,
    kind: 'string',
    ...options,
    schema,
    shows: z.enum(STEPS),
    otherwise: undefined,
    writable: 'after creation',
    lookups: ORDERED,
    filterValue: readInteger,
    show: String,
  };
}

/**
 * A reference to another resource: its URI, or, in requests, the resource itself.
 *
 * @param attribute the model's attribute with the id
 * @param writable `on creation`: the reference is for life
 */
export function reference<const Attribute extends string>(
  to: Resource,
  attribute: Attribute,
  options: Described & { writable?: 'always' | 'on creation' | 'never' },
): Field<number, Attribute> {
  return {
    ...optionalReference(to, attribute, options),
    shows: z.string(),
    otherwise: undefined,
  } as Field<number, Attribute>;
}

/** A reference that may be null. */
export function optionalReference<const Attribute extends string>(
  to: Resource,
  attribute: Attribute,
  options: Described & { writable?: 'always' | 'on creation' | 'never' },
): Field<number | null, Attribute> {
  return {
    kind: 'related',
    help: options.help,
    attribute,
    // What a reference names is looked up where it is written; here are the forms that it may have.
    schema: z.union([
      z.string().regex(to.uriPattern),
      z.looseObject({}).meta({ description: `The ${to.name} itself, which is found or added.` }),
    ]) as unknown as z.ZodType<number | null>,
    shows: z.string().nullable(),
    otherwise: null,
    writable: options.writable ?? 'always',
    lookups: ['exact', 'in', 'isnull'],
    filterValue: readInteger,
    show: (id) => (id === null ? null : to.uriOf(id as number)),
    to,
  };
}

/** A field that Airline alone sets, shown as it is stored. */
export function shown(
  options: Described & {
    kind?: Kind;
    shows?: z.ZodType;
    attribute?: string;
  },
): Field<never> {
  const kind = options.kind ?? 'string';
  const reading = { string: readText, integer: readInteger, datetime: readTime };
  const isFiltered = kind === 'string' || kind === 'integer' || kind === 'datetime';
  return {
    ...BASE,
    kind,
    help: options.help,
    attribute: options.attribute,
    schema: z.never(),
    shows: options.shows ?? z.string(),
    otherwise: undefined,
    writable: 'never',
    lookups: kind === 'string' ? TEXTUAL : ORDERED,
    filterValue: isFiltered ? reading[kind] : readText,
  };
}

const time = z.iso.datetime().meta({ description: 'RFC 3339, in UTC' });

/** The fields that every resource has besides its own. */
export const OWN_FIELDS = {
  id: shown({ kind: 'integer', shows: z.int(), help: 'The id, given by the server.' }),
  created_at: shown({ kind: 'datetime', shows: time, help: 'When it was added.' }),
  updated_at: shown({ kind: 'datetime', shows: time, help: 'When it was last changed.' }),
} as const;
