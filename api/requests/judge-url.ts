import type { ErrorCode } from '../../domain/errors.ts';
import { shownUrl, sourceUrlProblem, type SourceUrlRule } from '../../domain/access/source-url.ts';
import type { Problem } from '../rest/request-problems.ts';

// A URL has no other characters. The parser would silently drop some of them and read a backslash as a slash.
const PRINTABLE = /^[!-[\]-~]+$/;

/** What is wrong with a URL that Airline is to call. */
export function judgeUrl(field: string, text: string, rule: SourceUrlRule): Problem[] {
  const wrong = (code: ErrorCode, why: string): Problem[] => [
    { field, code, message: `${JSON.stringify(shownUrl(text))}: ${why}.` },
  ];
  if (!PRINTABLE.test(text) || !URL.canParse(text))
    return wrong('invalid_field', 'it is not a URL');
  const { protocol } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return wrong('invalid_field', 'it is not http or https');
  const problem = sourceUrlProblem(text, rule);
  return problem ? wrong(problem.code, problem.why) : [];
}
