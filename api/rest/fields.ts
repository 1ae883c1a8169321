import { z } from 'zod';
import { isWorkflowStep, WORKFLOW_STEPS, type WorkflowStep } from '../../domain/tickets/ticket.ts';
import {
  EMAIL,
  EMAIL_OR_NONE,
  isStorable,
  NOT_BLANK,
  NOT_STORED,
  readBoolean,
  readInteger,
  readText,
  readTime,
  STORABLE,
} from './field-values.ts';
import { REQUIRED } from './request-problems.ts';
import type { Field, Kind, Resource } from './resource.ts';

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

/** The longest text, where its field says nothing else; the specification's own texts have the same. */
const MAX_TEXT = 4_096;
/** The longest text of several lines. */
export const MAX_LONG_TEXT = 65_536;

const MAX_STATUS = 999_999_999;
const STEPS = Object.keys(WORKFLOW_STEPS);

/** A value of the step table, as answers have them. */
export const stepSchema = z.enum(STEPS);

/** Any number that a caller has supplied, as answers have it. */
export const statusSchema = z.string().regex(/^-?[0-9]{1,9}$/);

const BASE = {
  attribute: undefined,
  writable: 'always',
  filterValue: readText,
  serialize: (stored: unknown) => stored,
} as const;

function limited(string: z.ZodString, maxLength = MAX_TEXT): z.ZodString {
  return string.max(maxLength, `Ensure this value has at most ${maxLength} characters.`);
}

/**
 * A text as Tastypie takes it: whole numbers and booleans are texts, too. Required and not blank, unless
 * there is a `default`.
 *
 * @param options.isVersion only strings are taken: the numbers 2.0 and 2 are one in JSON
 */
export function text(
  options: Described & {
    default?: string;
    maxLength?: number;
    unique?: boolean;
    isVersion?: true;
  },
): Field<string, undefined> {
  const { default: whenAbsent, maxLength, unique = false, isVersion = false } = options;
  const error = 'Enter a string.';
  const string = z.string({ error }).regex(whenAbsent === undefined ? NOT_BLANK : STORABLE, {
    error: ({ input }) => (isStorable(String(input)) ? REQUIRED : NOT_STORED),
  });
  return {
    ...BASE,
    kind: 'string',
    help: options.help,
    input: (isVersion
      ? limited(string, maxLength)
      : z
          .union([limited(string, maxLength), z.int(error), z.boolean()], { error })
          .transform(String)
    ).refine(isStorable, NOT_STORED),
    schema: z.string(),
    default: whenAbsent,
    unique,
    lookups: TEXTUAL,
  };
}

/** An e-mail address. Required, unless it may be empty. */
export function email(
  options: Described & { default?: ''; maxLength?: number },
): Field<string, undefined> {
  const error = 'Enter a valid email address.';
  const string = z.string({ error }).regex(options.default === '' ? EMAIL_OR_NONE : EMAIL, error);
  const input = limited(string, options.maxLength).refine(isStorable, NOT_STORED);
  return { ...text(options), input };
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(
  words: T,
  options: Described & { default?: T[number] },
): Field<T[number], undefined> {
  const schema = z.enum(words, { error: `Select one of ${words.join(', ')}.` });
  return {
    ...BASE,
    kind: 'string',
    ...options,
    input: schema,
    schema,
    default: options.default,
    lookups: TEXTUAL,
  };
}

const NO_BOOLEAN = 'Enter true or false.';
/**
 * A boolean as a text, such as `readBoolean` reads. As a pattern: in an enumeration, generated clients take True and
 * true for one.
 */
export const booleanText = z.string().regex(/^(?:[Tt]rue|[Ff]alse|[01])$/, NO_BOOLEAN);

/** A boolean; the texts True and False are taken, as old clients send them. */
export function boolean(options: Described & { default: boolean }): Field<boolean, undefined> {
  const input = z
    .union([z.boolean(), booleanText, z.literal([0, 1])], { error: NO_BOOLEAN })
    .transform((value) => readBoolean(String(value)) ?? false);
  return {
    ...BASE,
    kind: 'boolean',
    ...options,
    input,
    schema: z.boolean(),
    lookups: ['exact'],
    filterValue: readBoolean,
  };
}

/** A value of the step table; shown as a text, as the specification has it. */
export function workflowStep(options: Described): Field<WorkflowStep, undefined> {
  const input = z
    .union([z.enum(STEPS), z.literal(STEPS.map(Number))], {
      error: `Select one of ${STEPS.join(', ')}.`,
    })
    .transform(Number)
    .refine(isWorkflowStep);
  return {
    ...BASE,
    kind: 'string',
    ...options,
    input,
    schema: stepSchema,
    default: undefined,
    writable: 'after creation',
    lookups: ORDERED,
    filterValue: readInteger,
    serialize: String,
  };
}

/** A status: any whole number of at most nine digits; shown as a text, as the specification has it. */
export function status(options: Described): Field<number, undefined> {
  const error = 'Enter a whole number of at most nine digits.';
  const help = `A whole number of at most nine digits, as callers supply it. ${options.help}`;
  const input = z
    // A branch that fits by type speaks for itself, so each has the sentence.
    .union(
      [
        z.string().regex(/^-?[0-9]{1,9}$/, error),
        z.int(error).min(-MAX_STATUS, error).max(MAX_STATUS, error),
      ],
      { error },
    )
    .transform(Number);
  return {
    ...BASE,
    kind: 'string',
    help,
    input,
    schema: statusSchema,
    default: undefined,
    writable: 'after creation',
    lookups: ORDERED,
    filterValue: readInteger,
    serialize: String,
  };
}

/**
 * A reference to another resource: its URI, or, in requests, the resource itself. Its id is looked up where it is
 * written.
 *
 * @param attribute the model's attribute with the id
 * @param writable `on creation`: the reference never changes
 */
export function reference<const Attribute extends string>(
  to: Resource,
  attribute: Attribute,
  options: Described & { writable?: 'always' | 'on creation' | 'never' },
): Field<number, Attribute, string | object> {
  return {
    ...optionalReference(to, attribute, options),
    schema: z.string(),
    default: undefined,
  };
}

/** A reference that may be null. */
export function optionalReference<const Attribute extends string>(
  to: Resource,
  attribute: Attribute,
  options: Described & { writable?: 'always' | 'on creation' | 'never' },
): Field<number | null, Attribute, string | object> {
  return {
    kind: 'related',
    help: options.help,
    attribute,
    input: z.union([z.string().regex(to.uriPattern), z.looseObject({})]),
    schema: z.string().nullable(),
    default: null,
    writable: options.writable ?? 'always',
    lookups: ['exact', 'in', 'isnull'],
    filterValue: readInteger,
    serialize: (id) => (id === null ? null : to.uriOf(id as number)),
    to,
  };
}

/** A field that only Airline sets, answered as it is stored. */
export function readOnly(
  options: Described & {
    kind?: Kind;
    schema?: z.ZodType;
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
    input: z.never(),
    schema: options.schema ?? z.string(),
    default: undefined,
    writable: 'never',
    lookups: kind === 'string' ? TEXTUAL : ORDERED,
    filterValue: isFiltered ? reading[kind] : readText,
  };
}

/** A time that only Airline sets; null until it has come. */
export function moment(help: string): Field<never> {
  return readOnly({ kind: 'datetime', schema: z.iso.datetime().nullable(), help });
}

const time = z.iso.datetime().meta({ description: 'RFC 3339, in UTC' });

/** The fields that every resource has besides its own. */
export const OWN_FIELDS = {
  id: readOnly({ kind: 'integer', schema: z.int(), help: 'The id, given by the server.' }),
  created_at: readOnly({ kind: 'datetime', schema: time, help: 'When it was added.' }),
  updated_at: readOnly({ kind: 'datetime', schema: time, help: 'When it was last changed.' }),
} as const;

/** Their names: every list can be filtered and ordered by them. */
export const OWN_FIELD_NAMES: readonly string[] = Object.keys(OWN_FIELDS);
