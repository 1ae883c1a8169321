import { z } from 'zod';

const MAX_LENGTH = 2_000;

/** A person's reason, which stays where it was given. @param description of the field in the OpenAPI document */
export function reasonText(description: string) {
  return z
    .string({ error: 'Say why.' })
    .trim()
    .min(1, 'Say why.')
    .max(MAX_LENGTH, `Enter at most ${MAX_LENGTH} characters.`)
    .meta({ description });
}
