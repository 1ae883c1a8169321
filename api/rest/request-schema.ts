import { z } from 'zod';
import { MAX_REASON_LENGTH } from '../../domain/tickets/ticket.ts';
import { REFERRED, SENT_BACK } from '../http/ignored-keys.ts';
import { isStorable, STORABLE } from './field-values.ts';
import type { Field, Resource } from './resource.ts';

export type Mode = 'creation' | 'change';

/** Whether a request of this kind sets the field. */
export function isWritable({ writable }: Field, mode: Mode): boolean {
  return (
    writable === 'always' ||
    (writable === 'on creation' && mode === 'creation') ||
    (writable === 'after creation' && mode === 'change')
  );
}

const INVALID_REASON = `Enter a text of at most ${MAX_REASON_LENGTH} characters.`;

/** Why a request makes its change. */
export const reasonSchema = z
  .string({ error: INVALID_REASON })
  .regex(STORABLE, INVALID_REASON)
  .refine(isStorable, INVALID_REASON)
  .max(MAX_REASON_LENGTH, INVALID_REASON)
  .nullish()
  .meta({ description: 'Why step or status changes; the history keeps it.' });

/**
 * The body of a creation or of a change, as the document shows it; unknown fields are ignored, and named.
 *
 * @param without fields that come from elsewhere, or `reason`
 */
export function requestSchema(
  resource: Resource,
  mode: Mode,
  without: readonly string[] = [],
): z.ZodObject<z.ZodRawShape, z.core.$loose> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!isWritable(field, mode) || without.includes(name)) continue;
    const hasDefault = field.default !== undefined;
    const isOptional = mode === 'change' || hasDefault;
    const takesNull = field.default === null || (mode === 'creation' && hasDefault);
    const given = field.to ? referenceSchema(field.to) : field.input;
    const input = takesNull ? given.nullable() : given;
    shape[name] = (isOptional ? input.optional() : input).meta({ description: field.help });
  }
  if (resource.takesReason && !without.includes('reason')) shape['reason'] = reasonSchema;
  const schema = z.looseObject(shape);
  return without.length > 0 ? schema : schema.meta({ title: `${resource.name}_${mode}` });
}

/** A reference, as the document shows it: an address, an object with it or with an id, or one to be found or added. */
function referenceSchema(to: Resource): z.ZodType {
  const address = z.string().regex(to.uriPattern);
  const referred = [
    z
      .looseObject({ resource_uri: address.meta({ description: 'Its address.' }) })
      .meta({ title: `${to.name}_referred` }),
    z
      .looseObject({ id: z.int().meta({ description: 'Its id.' }) })
      .meta({ title: `${to.name}_referred_by_id` }),
  ];
  for (const one of referred) REFERRED.set(one, answerSchema(to, { comparesReferences: false }));
  return z.union([
    address,
    ...referred,
    requestSchema(to, 'creation', to.takesReason ? ['reason'] : []),
  ]);
}

/** The body of a PUT, as the document shows it: that of a change; fields that never change may be repeated. */
export function putSchema(resource: Resource): z.ZodObject<z.ZodRawShape, z.core.$loose> {
  return requestSchema(resource, 'creation')
    .partial()
    .extend(requestSchema(resource, 'change').shape)
    .meta({ title: `${resource.name}_put` });
}

/**
 * The resource as answers have it.
 *
 * @param options.comparesReferences false: the request that is answered ignores even a reference that never changes
 */
export function answerSchema(resource: Resource, { comparesReferences = true } = {}): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, { schema, help, writable, to }] of Object.entries(resource.fields)) {
    const field = schema.meta({ description: help });
    const isCompared = comparesReferences && to !== undefined && writable === 'on creation';
    shape[name] = writable === 'never' || isCompared ? field.register(SENT_BACK) : field;
  }
  for (const [name, { schema, help }] of Object.entries(resource.derived))
    shape[name] = schema.meta({ description: help }).register(SENT_BACK);
  for (const [name, { schema, help }] of Object.entries(resource.nested))
    shape[name] = schema.meta({ description: help });
  shape['resource_uri'] = z.string().meta({ description: 'Its address.' }).register(SENT_BACK);
  return z.object(shape).meta({ title: resource.name });
}

/** A page of objects in Tastypie's envelope. */
export function pageSchema(objects: z.ZodType): z.ZodObject {
  return z.object({
    meta: z
      .object({
        limit: z.int().meta({ description: 'The largest number of objects on a page.' }),
        next: z
          .string()
          .nullable()
          .meta({ description: 'The address of the next page; null: there is none.' }),
        offset: z.int().meta({ description: 'How many objects come before the page.' }),
        previous: z
          .string()
          .nullable()
          .meta({ description: 'The address of the page before; null: there is none.' }),
        total_count: z.int().meta({
          description: 'How many objects there are; of more than 10,000, about how many.',
        }),
      })
      .meta({ title: 'page_meta', description: 'Where the page is in the list.' }),
    objects: z.array(objects).meta({ description: 'The objects of the page.' }),
  });
}
