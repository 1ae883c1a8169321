import { z } from 'zod';

export type Unit =
  | 'ms'
  | 'bytes'
  | 'port'
  | 'count'
  | 'factor'
  | 'address'
  | 'path'
  | 'list'
  | 'name'
  | 'choice'
  | 'key id'
  | 'token';

/** One variable of the environment. */
export type Setting<T = unknown> = {
  readonly variable: `AIRLINE_${string}`;
  readonly unit: Unit;
  readonly description: string;
  /** As it would be written in the environment; undefined where the variable can stay unset. */
  readonly default: string | number | undefined;
  /** Makes the value of the text, or of undefined where the variable is unset. */
  readonly schema: z.ZodType<T>;
};

/**
 * A section of docs/configuration.md, with its part of the configuration: settings, nested as their users take them.
 */
export type Section<Settings> = { readonly title: string; readonly settings: Settings };

/** Declares a section. @param settings each value has the same place in the configuration as its setting has here */
export function section<Settings>(title: string, settings: Settings): Section<Settings> {
  return { title, settings };
}

type Variable = Setting['variable'];

type Range = { min: number; max: number };

const WHOLE = { pattern: /^\d+$/, problem: 'is not a whole number' };
const DECIMAL = { pattern: /^\d+(\.\d+)?$/, problem: 'is not a number' };

function number(
  unit: Unit,
  { pattern, problem }: typeof WHOLE,
  { min, max }: Range,
  variable: Variable,
  fallback: number,
  description: string,
): Setting<number> {
  const schema = z
    .string()
    .regex(pattern, problem)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback);
  return { variable, unit, description, default: fallback, schema };
}

/** A number from `min` to `max`, which may have a fraction; unset: `fallback`. */
export function factor(
  range: Range,
  variable: Variable,
  fallback: number,
  description: string,
): Setting<number> {
  return number('factor', DECIMAL, range, variable, fallback, description);
}

const DAY_MS = 86_400_000;
/** Node's timers end at 2^31 ms: one that is set for more is over at once. */
const LONGEST_TIMER_MS = 24 * DAY_MS;
/** The range of a time that no timer of Node's waits for, but a workflow, a query or RabbitMQ. */
export const UP_TO_A_MONTH = { max: 31 * DAY_MS };

/** A whole number of milliseconds from `min` to `max`, by default from 1 to those of 24 days; unset: `fallback` ms. */
export function milliseconds(
  variable: Variable,
  fallback: number,
  description: string,
  { min = 1, max = LONGEST_TIMER_MS }: { min?: number; max?: number } = {},
): Setting<number> {
  return number('ms', WHOLE, { min, max }, variable, fallback, description);
}

/** A port that can be listened on, from 1 to 65535; unset: `fallback`. */
export function port(variable: Variable, fallback: number, description: string): Setting<number> {
  return number('port', WHOLE, { min: 1, max: 65_535 }, variable, fallback, description);
}

/** A whole number from `min` to `max`, by default from 1 to a million; unset: `fallback`. */
export function count(
  variable: Variable,
  fallback: number,
  description: string,
  { min = 1, max = 1_000_000 }: { min?: number; max?: number } = {},
): Setting<number> {
  return number('count', WHOLE, { min, max }, variable, fallback, description);
}

/** A whole number of bytes from 1 to 2^50; unset: `fallback` bytes. */
export function bytes(variable: Variable, fallback: number, description: string): Setting<number> {
  return number('bytes', WHOLE, { min: 1, max: 2 ** 50 }, variable, fallback, description);
}

/** Any text but the empty one, which counts as unset; unset: `fallback`. */
export function text(
  unit: Unit,
  variable: Variable,
  fallback: string,
  description: string,
): Setting<string> {
  const schema = z.string().min(1).default(fallback);
  return { variable, unit, description, default: fallback, schema };
}

/**
 * A text that can be left out; unset: undefined.
 *
 * @param schema what a value must be; by default any text but the empty one
 */
export function optional(
  unit: Unit,
  variable: Variable,
  description: string,
  schema: z.ZodType<string> = z.string().min(1),
): Setting<string | undefined> {
  return { variable, unit, description, default: undefined, schema: schema.optional() };
}

/** A URL of one of the protocols, each with its colon; unset: undefined. */
export function url(
  protocols: readonly string[],
  variable: Variable,
  description: string,
): Setting<string | undefined> {
  const schema = z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `is no URL of ${protocols.join(' or ')}`,
    );
  return optional('address', variable, description, schema);
}

/** One of `options`, as it is written there; unset: `fallback`. The description lists them. */
export function choice<const T extends readonly [string, ...string[]]>(
  options: T,
  variable: Variable,
  fallback: T[number],
  description: string,
): Setting<T[number]> {
  const schema = z.string().default(fallback).pipe(z.enum(options));
  return {
    variable,
    unit: 'choice',
    description: `${description} One of ${options.join(', ')}.`,
    default: fallback,
    schema,
  };
}

/** Whether something is on; the description may say what each of the two means. */
export function onOrOff(
  variable: Variable,
  fallback: 'on' | 'off',
  description: string,
): Setting<boolean> {
  const options = fallback === 'on' ? (['on', 'off'] as const) : (['off', 'on'] as const);
  return mapped(choice(options, variable, fallback, description), (value) => value === 'on');
}

/** A setting whose value is made of another's. */
export function mapped<T, U>(setting: Setting<T>, map: (value: T) => U): Setting<U> {
  return { ...setting, schema: setting.schema.transform(map) };
}

/** The entries of a comma-separated list. */
export function listed(setting: Setting<string | undefined>): Setting<readonly string[]> {
  return mapped(setting, (value = '') => entriesOf(value).filter((entry) => entry !== ''));
}

/** The entries of a comma-separated list; undefined where nothing is given. */
export function listedIfGiven(
  setting: Setting<string | undefined>,
): Setting<readonly string[] | undefined> {
  return mapped(setting, (value) =>
    value === undefined ? undefined : entriesOf(value).filter((entry) => entry !== ''),
  );
}

/** The entries of a list between its commas. */
export function entriesOf(value: string): string[] {
  return value.split(',').map((entry) => entry.trim());
}
