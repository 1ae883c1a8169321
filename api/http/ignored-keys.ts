import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { nameIn } from './named-resource.ts';
import type { Operation } from './operation.ts';
import { preference } from './preference.ts';

const MAX_NAMED = 20;
const MAX_LENGTH = 100;
/** A list may have hundreds of thousands of entries; no other request should wait for all of them. */
const LOOKED_AT_ONCE = 1_000;
const prefersStrict = preference('handling', 'strict');

/**
 * Fields that only Airline sets, and references that never change, which are compared. Who sends back what was read
 * need not hear that they are ignored.
 */
export const SENT_BACK = z.registry();

/**
 * The branches of references for objects with their address or id, which are referred to and never changed, each with
 * the answer that such an object is read from. Other branches are of objects that are added.
 */
export const REFERRED = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Names the keys of a JSON object, or of the objects of a list, that the operation ignores, in `Airline-Ignored`. A
 * caller that prefers strict handling (RFC 7240, 4.4) is refused instead.
 *
 * @throws AirlineError `unknown_fields`
 */
export function nameIgnoredKeys({ body, answers }: Operation): Middleware {
  const answered = Object.values(answers).flatMap(({ schema }) => schema ?? []);
  return async (ctx, next) => {
    const found: string[] = [];
    const given: unknown = ctx.request.body;
    if (body && Array.isArray(given)) await collectSlowly(given, elementsOf(body), found);
    else if (body) collect(given, [body], answered, '', found);
    const names = found.map(printed).join(', ');
    if (names !== '' && prefersStrict(ctx))
      throw new AirlineError('unknown_fields', `Not known here: ${names}.`);
    await next();
    // Of a request that is refused nothing is done: there is nothing to tell of it.
    if (names !== '') ctx.set('Airline-Ignored', names);
  };
}

async function collectSlowly(
  list: readonly unknown[],
  known: readonly z.ZodType[],
  found: string[],
): Promise<void> {
  for (const [index, one] of list.entries()) {
    if (found.length >= MAX_NAMED) return;
    if (index % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await letOthersRun();
    collect(one, known, [], `[${index}]`, found);
  }
}

/** @param place as in `subtickets[2].assignee`; empty: the body itself */
function collect(
  value: unknown,
  known: readonly z.ZodType[],
  answered: readonly z.ZodType[],
  place: string,
  found: string[],
): void {
  if (Array.isArray(value)) {
    const [elements, shown] = [known.flatMap(elementsOf), answered.flatMap(elementsOf)];
    // Where no list is known, what is in one is not looked at: it may be nested without end.
    if (elements.length === 0) return;
    for (const [index, one] of value.entries())
      collect(one, elements, shown, `${place}[${index}]`, found);
  } else if (typeof value === 'object' && value !== null) {
    const objects = known.flatMap(objectsOf);
    const referred = objects.filter((object) => REFERRED.has(object));
    const taken =
      referred.length > 0 && nameIn(value) !== undefined
        ? referred
        : objects.filter((object) => !REFERRED.has(object));
    const shapes = taken.map(({ shape }) => shape);
    // One without fields takes any.
    if (shapes.length === 0 || shapes.some((shape) => Object.keys(shape).length === 0)) return;
    const read = referred.flatMap((object) => REFERRED.get(object) ?? []);
    const shown = [...answered, ...read].flatMap(objectsOf).map(({ shape }) => shape);
    for (const [key, one] of Object.entries(value)) {
      if (found.length >= MAX_NAMED) return;
      const [fields, answers] = [fieldsOf(shapes, key), fieldsOf(shown, key)];
      const path = place === '' ? key : `${place}.${key}`;
      if (fields.length > 0) collect(one, fields, answers, path, found);
      else if (!answers.some((field) => SENT_BACK.has(field))) found.push(path);
    }
  }
}

type Shape = Readonly<Record<string, z.ZodType>>;

function fieldsOf(shapes: readonly Shape[], key: string): z.ZodType[] {
  return shapes.flatMap((shape) => (Object.hasOwn(shape, key) ? (shape[key] ?? []) : []));
}

function objectsOf(schema: z.ZodType): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  return insideOf(schema).flatMap(objectsOf);
}

function elementsOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  return insideOf(schema).flatMap(elementsOf);
}

/** What a schema wraps or chooses from. */
function insideOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options as readonly z.ZodType[];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return [schema.unwrap() as z.ZodType];
  return [];
}

/** A name as a header may have it. */
function printed(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .replaceAll(/\p{Surrogate}/gu, '?')
    .replaceAll(/[^A-Za-z0-9_.[\]-]/gu, encodeURIComponent);
}
