import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';

/** What is wrong with a request, field by field. */
export function refusalOf(error: z.ZodError): AirlineError {
  const fields = z.flattenError(error).fieldErrors as Record<string, string[]>;
  const [field, messages] = Object.entries(fields)[0] ?? [];
  return new AirlineError('invalid_field', `${field}: ${messages?.[0]}`, { fields });
}
