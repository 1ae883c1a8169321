import { z } from 'zod';
import { readInteger } from '../rest/field-values.ts';
import { readOnly, stepSchema } from '../rest/fields.ts';

/** Where a ticket or subticket failed, and why: Failed takes the place of the step that it was at. */
export const FAILURE_FIELDS = {
  failed_at_step: {
    ...readOnly({
      schema: stepSchema.nullable(),
      help: 'The step that it failed at; null where it has not failed.',
    }),
    filterValue: readInteger,
    serialize: (step: unknown) => (typeof step === 'number' ? String(step) : null),
    lookups: ['exact', 'in', 'isnull'],
  },
  failure_reason: readOnly({
    schema: z.string().nullable(),
    help: 'Why it failed, as whoever moved it said; null where it has not failed.',
  }),
} as const;
