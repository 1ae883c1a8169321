import { z } from 'zod';
import type { Resource } from './resource.ts';

/** The parameters of paging, which every list has. */
export const pagingParameters = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Most objects; 0, or more than 1000, is 1000. Default 20.' }),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'How many objects to leave out.' }),
});

/** The query of a resource's list, as the document shows it: each filter field once, and its lookups in words. */
export function listParameters(resource: Resource): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const name of ['id', 'created_at', 'updated_at', ...resource.filters]) {
    const field = resource.fields[name];
    if (!field) continue;
    const lookups = field.lookups
      .filter((lookup) => lookup !== 'exact')
      .map((lookup) => `${name}__${lookup}`);
    const through = field.to ? ` Through it: ${name}__<field of ${field.to.name}>.` : '';
    shape[name] = z
      .string()
      .optional()
      .meta({
        description: `${field.help}${lookups.length > 0 ? ` Also: ${lookups.join(', ')}.` : ''}${through}`,
      });
  }
  return pagingParameters.extend({
    cursor: z
      .string()
      .optional()
      .meta({ description: 'Page by cursor: empty at first, then as meta.next has it.' }),
    order_by: z
      .string()
      .optional()
      .meta({
        description: `A field, with - before it downwards: id, created_at, updated_at, ${resource.orders.join(', ')}.`,
      }),
    ...shape,
  });
}
