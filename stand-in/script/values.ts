import { z } from 'zod';

/** A time that a script may name, in milliseconds. */
export const durationMs = z
  .number()
  .int()
  .min(0)
  .max(7 * 86_400_000);

export const name = z.string().min(1).max(300);
