import { z } from 'zod';
import { isWorkflowStep, type WorkflowStep } from '../domain/ticket.ts';
import type { Resource } from './resource.ts';

/** How one field of a resource is read from a request, filtered by, and shown. */
export type Field<Value = unknown, Attribute extends string | undefined = string | undefined> = {
  /** The model's attribute, where it is not the field's name in camel case. */
  readonly attribute: Attribute;
  /** Reads the field from a request. Lax as Tastypie is: a number is a text, too. */
  readonly schema: z.ZodType<Value>;
  /** What a new resource takes where the request does not say; undefined: the field is required. */
  readonly otherwise: Value | undefined;
  /** `never`: the field is ignored in requests. `after creation`: a new resource starts with the model's own value. */
  readonly writable: 'always' | 'on creation' | 'after creation' | 'never';
  /** Reads a filter's value; undefined where no row can have it. */
  readonly filterValue: (text: string) => unknown;
  readonly show: (stored: unknown) => unknown;
  /** For a reference: the resource that it refers to. */
  readonly to?: Resource;
};

const REQUIRED = 'This field is required.';
// PostgreSQL stores no NUL; a lone surrogate has no UTF-8 form.
const NOT_STORABLE = /\0|\p{Surrogate}/u;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const MOST_INTEGER = 2 ** 31 - 1;

const laxText = z
  .union([z.string(), z.number(), z.boolean()], { error: 'Enter a text.' })
  .transform(String)
  .refine((value) => !NOT_STORABLE.test(value), 'The text has characters that cannot be stored.');

/** A text. Required and not blank, unless `otherwise` says what stands for it. */
export function text(
  options: { otherwise?: string; maxLength?: number } = {},
): Field<string, undefined> {
  const limited = laxText.refine(
    (value) => value.length <= (options.maxLength ?? Infinity),
    `Ensure this value has at most ${options.maxLength} characters.`,
  );
  return textField(
    options.otherwise === undefined
      ? limited.refine((value) => value.trim() !== '', REQUIRED)
      : limited,
    options.otherwise,
  );
}

/** An e-mail address. Required, unless `otherwise` says what stands for it; that one is taken as well. */
export function email(options: { otherwise?: string } = {}): Field<string, undefined> {
  return textField(
    laxText.refine(
      (value) => EMAIL.test(value) || value === options.otherwise,
      'Enter a valid email address.',
    ),
    options.otherwise,
  );
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(words: T): Field<T[number], undefined> {
  return {
    ...textField(laxText, undefined),
    schema: z.enum(words, { error: `Select one of ${words.join(', ')}.` }),
  };
}

/** A value of the step table; shown as a text, as the specification has it. */
export function workflowStep(): Field<WorkflowStep, undefined> {
  return {
    attribute: undefined,
    schema: z
      .union([z.string(), z.number()], { error: 'Enter a workflow step.' })
      .transform((value) => (/^\d{1,4}$/.test(String(value)) ? Number(value) : NaN))
      .refine(isWorkflowStep, 'Select one of 100, 200, 300, 400, 500, 999, 1000.'),
    otherwise: undefined,
    writable: 'after creation',
    filterValue: integer,
    show: String,
  };
}

/**
 * A reference to another resource: its URI.
 *
 * @param attribute the model's attribute with the id
 * @param writable `on creation`: the reference is for life
 */
export function reference<const Attribute extends string>(
  to: Resource,
  attribute: Attribute,
  writable: 'always' | 'on creation' = 'always',
): Field<number, Attribute> {
  return {
    attribute,
    schema: z.string().transform((uri, context) => {
      const id = to.idOf(uri);
      if (id === undefined) context.addIssue({ code: 'custom', message: 'unknown' });
      return id ?? z.NEVER;
    }),
    otherwise: undefined,
    writable,
    filterValue: integer,
    show: (id) => to.uriOf(id as number),
    to,
  };
}

/** A field that Airline alone sets, shown as it is stored. */
export function shown(
  options: { attribute?: string; filterValue?: Field['filterValue'] } = {},
): Field<never> {
  return {
    attribute: options.attribute,
    schema: z.never(),
    otherwise: undefined,
    writable: 'never',
    filterValue: options.filterValue ?? storableText,
    show: (stored) => stored,
  };
}

/** An id in a path or a filter: a whole number that the database's integer holds. */
export function integer(value: string): number | undefined {
  if (!/^\d{1,10}$/.test(value)) return undefined;
  return Number(value) <= MOST_INTEGER ? Number(value) : undefined;
}

function storableText(value: string): string | undefined {
  return NOT_STORABLE.test(value) ? undefined : value;
}

function textField(
  schema: z.ZodType<string>,
  otherwise: string | undefined,
): Field<string, undefined> {
  return {
    attribute: undefined,
    schema,
    otherwise,
    writable: 'always',
    filterValue: storableText,
    show: (stored) => stored,
  };
}
