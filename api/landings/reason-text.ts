import { z } from 'zod';
import { isStorable, NOT_STORED, STORABLE } from '../rest/field-values.ts';

const MAX_LENGTH = 2_000;

/** A text with something in it, without white space around it. @param error what is said of another value */
export function filledText(error: string, maxLength = MAX_LENGTH) {
  return z
    .string({ error })
    .trim()
    .min(1, error)
    .max(maxLength, `Enter at most ${maxLength} characters.`)
    .regex(STORABLE, NOT_STORED)
    .refine(isStorable, NOT_STORED);
}

/** A person's reason, which stays where it was given. @param description of the field in the OpenAPI document */
export function reasonText(description: string) {
  return filledText('Say why.').meta({ description });
}
