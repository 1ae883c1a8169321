import { z } from 'zod';
import { STORABLE } from './field-values.ts';
import type { Field } from './fields.ts';
import type { Resource } from './resource.ts';

export type Occasion = 'creation' | 'change';

/** Whether a request of this kind sets the field. */
export function isWritable({ writable }: Field, occasion: Occasion): boolean {
  return (
    writable === 'always' ||
    (writable === 'on creation' && occasion === 'creation') ||
    (writable === 'after creation' && occasion === 'change')
  );
}

const reason = z
  .string()
  .regex(STORABLE)
  .max(1_000)
  .nullish()
  .meta({ description: 'Why step or status change; the history keeps it.' });

/**
 * The body of a creation or of a change, as the document shows it; unknown fields are ignored.
 *
 * @param without fields that come from elsewhere
 */
export function requestSchema(
  resource: Resource,
  occasion: Occasion,
  without: readonly string[] = [],
): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!isWritable(field, occasion) || without.includes(name)) continue;
    const isOptional = occasion === 'change' || field.otherwise !== undefined;
    const taken = field.otherwise === null ? field.schema.nullable() : field.schema;
    shape[name] = (isOptional ? taken.optional() : taken).meta({ description: field.help });
  }
  if (resource.takesReason) shape['reason'] = reason;
  const schema = z.looseObject(shape);
  return without.length > 0 ? schema : schema.meta({ title: `${resource.name}_${occasion}` });
}

/** The body of a PUT, as the document shows it: that of a change; fields that are for life may be repeated. */
export function putSchema(resource: Resource): z.ZodObject {
  return requestSchema(resource, 'creation')
    .partial()
    .extend(requestSchema(resource, 'change').shape)
    .meta({ title: `${resource.name}_put` });
}

/** The resource as it is shown. */
export function shownSchema(resource: Resource): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, { shows, help }] of Object.entries({ ...resource.fields, ...resource.derived }))
    shape[name] = shows.meta({ description: help });
  shape['resource_uri'] = z.string().meta({ description: 'Its address.' });
  return z.object(shape).meta({ title: resource.name });
}

/** A page of objects in Tastypie's envelope. */
export function pageSchema(objects: z.ZodType): z.ZodObject {
  return z.object({
    meta: z
      .object({
        limit: z.int(),
        next: z.string().nullable(),
        offset: z.int(),
        previous: z.string().nullable(),
        total_count: z.int(),
      })
      .meta({ title: 'page_meta' }),
    objects: z.array(objects),
  });
}
