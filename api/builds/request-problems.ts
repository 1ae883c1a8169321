import type { z } from 'zod';
import { AirlineError, type ErrorCode } from '../../domain/errors.ts';
import { shownUrl, sourceUrlProblem, type SourceUrlRule } from '../../domain/source-url.ts';

export const MAX_URL_LENGTH = 4_096;
// A URL has no other characters. The parser would silently drop some of them and read a backslash as a slash.
const PRINTABLE = /^[!-[\]-~]+$/;
/** Of a field. */
const MAX_TOLD = 100;
export const REQUIRED = 'This field is required.';

/** What is wrong with a field of a request. */
export type Problem = { field: string; code: ErrorCode; message: string };

/** What the schema of a body finds wrong with it. Within the entries of a list, the message says where. */
export function problemsOf(
  error: z.ZodError | undefined,
  given: Readonly<Record<string, unknown>>,
): Problem[] {
  return (error?.issues ?? []).map(({ path, message }) => {
    const isAbsent = typeof path.at(-1) === 'string' && (valueAt(given, path) ?? null) === null;
    const problem = isAbsent ? REQUIRED : message;
    return {
      field: String(path[0]),
      code: 'invalid_field',
      message: path.length > 2 ? `${path.join('.')}: ${problem}` : problem,
    };
  });
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = Reflect.get(value, key);
  }
  return value;
}

/** What is wrong with a URL that Airline is to call. */
export function judgeUrl(field: string, text: string, rule: SourceUrlRule): Problem[] {
  const wrong = (code: ErrorCode, why: string): Problem[] => [
    { field, code, message: `${JSON.stringify(shownUrl(text))}: ${why}.` },
  ];
  if (!PRINTABLE.test(text) || !URL.canParse(text))
    return wrong('invalid_field', 'it is not a URL');
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return wrong('invalid_field', 'it is not http or https');
  if (username !== '' || password !== '')
    return wrong('credentials_in_url', 'it carries a user name or a password');
  const problem = sourceUrlProblem(text, rule);
  return problem === undefined ? [] : wrong('host_not_allowed', problem);
}

/**
 * The error of a request with at least one problem; it has the problems' code where they share one. Of each field it
 * tells the first problems.
 */
export function refusal(problems: readonly Problem[]): AirlineError {
  const fields: Record<string, string[]> = {};
  for (const { field, message } of problems) {
    const told = (fields[field] ??= []);
    if (told.length < MAX_TOLD && !told.includes(message)) told.push(message);
  }
  const [first] = problems;
  const code =
    first && problems.every((problem) => problem.code === first.code)
      ? first.code
      : 'invalid_field';
  const summary = Object.entries(fields).map(([field, messages]) => `${field}: ${messages[0]}`);
  return new AirlineError(code, summary.join(' '), { fields });
}
