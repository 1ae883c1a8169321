import { z } from 'zod';
import type { LandingEstimate } from '../../domain/landings/landing-estimate.ts';

/** When a landing in line is expected to begin and to be complete (`LandingEstimate`). */
export const estimateSchema = z
  .object({
    start_at: z.iso.datetime().nullable().meta({
      description: 'When what it waits for is expected to be free; null where that is not known.',
    }),
    complete_at: z.iso.datetime().nullable().meta({
      description: 'When it is expected to be complete; null where start_at is.',
    }),
    based_on: z.int().meta({
      description:
        'The number of completed landings that it is the median of, at most 20: of several targets, the fewest.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why nobody knows; null where there is an estimate.' }),
  })
  .meta({ title: 'landing_estimate' }) satisfies z.ZodType<LandingEstimate>;
