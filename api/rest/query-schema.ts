import { z } from 'zod';
import { MAX_INTEGER } from '../http/query.ts';
import { readBoolean, readInteger, readText, readTime, STORABLE } from './field-values.ts';
import { OWN_FIELD_NAMES } from './fields.ts';
import { pageParameters } from './page-parameters.ts';
import type { Field, Resource } from './resource.ts';

// As patterns: in an enumeration, generated clients take None and none for one.
const none = z.string().regex(/^(?:nil|[Nn]one|null)$/);
/** The values that a filter takes, by the function that reads them. */
const FILTER_VALUES = new Map<Field['filterValue'], z.ZodType>([
  [readInteger, z.union([z.int().min(-MAX_INTEGER).max(MAX_INTEGER), none])],
  [readBoolean, z.string().regex(/^(?:[Tt]rue|[Ff]alse|[01]|nil|[Nn]one|null)$/)],
  [readTime, z.union([z.iso.datetime({ offset: true }), z.iso.date(), none])],
  [readText, z.string().regex(STORABLE)],
]);

/** The query of a resource's list, as the document shows it: each filter field once, and its lookups in words. */
export function listParameters(resource: Resource): z.ZodObject {
  const orders = [...OWN_FIELD_NAMES, ...resource.orders];
  const shape: Record<string, z.ZodType> = {};
  for (const name of [...OWN_FIELD_NAMES, ...resource.filters]) {
    const field = resource.fields[name];
    if (!field) continue;
    const lookups = field.lookups
      .filter((lookup) => lookup !== 'exact')
      .map((lookup) => `${name}__${lookup}`);
    const lifted = resource.defaultFilter?.disabledBy.includes(name)
      ? ` Finds those that are not ${resource.defaultFilter.word}, too.`
      : '';
    const through = field.to ? ` Through it: ${name}__<field of ${field.to.name}>.` : '';
    shape[name] = (FILTER_VALUES.get(field.filterValue) ?? z.string()).optional().meta({
      description: `${field.help}${lookups.length > 0 ? ` Also: ${lookups.join(', ')}.` : ''}${through}${lifted}`,
    });
  }
  for (const [name, { schema, help }] of Object.entries(resource.parameters))
    shape[name] = schema.optional().meta({ description: help });
  return pageParameters.extend({
    cursor: z.string().optional().meta({
      description:
        'Page by cursor, in the order of the id: empty at first, then as meta.next has it.',
    }),
    order_by: z
      .enum(orders.flatMap((field) => [field, `-${field}`]))
      .optional()
      .meta({
        description:
          'The field to order by; descending with - before it. It may be given several times.',
      }),
    ...shape,
  });
}
