import type { z } from 'zod';
import { AirlineError, type ErrorCode } from '../../domain/errors.ts';

/** What is said of a field that must be given and is not. */
export const REQUIRED = 'This field is required.';

/** Of a field. */
const MAX_TOLD = 100;

/** What is wrong with a field of a request. */
export type Problem = { field: string; code: ErrorCode; message: string };

/**
 * What the schema of a body finds wrong with it. Within the entries of a list, the message says where.
 *
 * @returns those of the body as a whole have the empty field
 */
export function problemsOf(error: z.ZodError | undefined, given: unknown): Problem[] {
  return (error?.issues ?? []).map(({ path, message }) => {
    const problem = isAbsent(given, path) ? REQUIRED : message;
    return {
      field: String(path[0] ?? ''),
      code: 'invalid_field',
      message: path.length > 2 ? `${path.join('.')}: ${problem}` : problem,
    };
  });
}

/** Whether a body has nothing, or null, for a field. The entry of a list is none. */
export function isAbsent(body: unknown, path: readonly PropertyKey[]): boolean {
  return typeof path.at(-1) === 'string' && (valueAt(body, path) ?? null) === null;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The first problems of each field, each once. */
export function byField(problems: readonly Problem[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const { field, message } of problems) {
    const told = (fields[field] ??= []);
    if (told.length < MAX_TOLD && !told.includes(message)) told.push(message);
  }
  return fields;
}

/**
 * The error of a request with at least one problem; it has the problems' code where they share one. Of each field it
 * tells the first problems.
 */
export function refusal(problems: readonly Problem[]): AirlineError {
  const fields = byField(problems);
  const [first] = problems;
  const code =
    first && problems.every((problem) => problem.code === first.code)
      ? first.code
      : 'invalid_field';
  const summary = Object.entries(fields).map(([field, messages]) => `${field}: ${messages[0]}`);
  return new AirlineError(code, summary.join(' '), { fields });
}
