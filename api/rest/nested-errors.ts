import type { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { isAbsent, REQUIRED } from './request-problems.ts';

/** Of the places that are wrong. */
const MAX_NAMED = 20;

/**
 * Runs what reads or writes a part of a body; its errors say where in the body the part is.
 *
 * @param place as in `subtickets[2]`; empty: the body itself
 */
export async function atPlace<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AirlineError) || place === '') throw error;
    const fields = error.fields && {
      fields: Object.fromEntries(
        Object.entries(error.fields).map(([name, messages]) => [`${place}.${name}`, messages]),
      ),
    };
    throw new AirlineError(error.code, `${place}: ${error.message}`, { cause: error, ...fields });
  }
}

/**
 * The lists of a body that has several, of which only that they are lists is checked.
 *
 * @param messageOf what is said of a wrong place, as in `Enter a list of at most 10 objects.`, unless it is missing
 * @throws AirlineError `invalid_field` that names the first wrong places
 */
export function readEnvelope<T>(
  schema: z.ZodType<T>,
  body: unknown,
  messageOf: (place: string) => string,
): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const fields = Object.fromEntries(
    issues.slice(0, MAX_NAMED).map(({ path }) => {
      const place = placeOf(path);
      return [place, [isAbsent(body, path) ? REQUIRED : messageOf(place)]];
    }),
  );
  const more = issues.length > MAX_NAMED ? `; the first ${MAX_NAMED} are named` : '';
  throw new AirlineError('invalid_field', `Not valid: ${Object.keys(fields).join(', ')}${more}.`, {
    fields,
  });
}

/** As `atPlace` has it: `subtickets[1].artifacts`. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);
}
