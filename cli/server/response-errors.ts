import type { Problem } from '../../api/openapi/contract.generated.ts';
import { CommandError } from '../command-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Settings } from '../settings/settings.ts';

/** No answer came. @param waitedMs how long it was waited for, where that was too long */
export function unreachableError(url: URL, cause: unknown, waitedMs?: number): CommandError {
  const why =
    waitedMs === undefined ? reasonOf(cause) : `nothing came within ${waitedMs / 1_000} s`;
  return doesNotAnswer(url, why, cause);
}

/** Something before the server answered that it cannot be reached now. */
export function unavailableError(url: URL, { status }: Response): CommandError {
  return new CommandError(`${url.origin} cannot take requests now (HTTP ${status}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'A proxy in front of Airline answered: Airline may still be starting. Try again in a moment.',
  });
}

function doesNotAnswer(url: URL, why: string, cause?: unknown): CommandError {
  return new CommandError(`${url.origin} does not answer (${why}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'Is Airline running there? --url, AIRLINE_URL or a profile says where to look.',
    cause,
  });
}

/** An answer began and did not come to its end. */
export function incompleteError(url: URL, cause: unknown): CommandError {
  return new CommandError(`The answer of ${url.origin} is incomplete (${reasonOf(cause)}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'Try again.',
    cause,
  });
}

/** The server has done what it was asked to, and shows nothing of it to whoever may not read. */
export function unreadableError(): CommandError {
  return new CommandError('The request was done, but this token may not read the result.', {
    code: 'forbidden',
    exit: EXIT.notAllowed,
    hint: 'Use one with the scope read to see what came of it.',
  });
}

/** An answer that does not come from Airline. */
export function notAirlineError(url: URL, response: Response, cause?: unknown): CommandError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return new CommandError(
    `${url.href} does not answer as Airline does (HTTP ${response.status}, ${type}).`,
    {
      code: 'not_airline',
      exit: EXIT.unreachable,
      hint: 'Check --url, AIRLINE_URL or the profile: it is the address of the server, without /api.',
      cause,
    },
  );
}

/** Reads a text as an error of the API; undefined if it is not one. */
export function parseProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string'
      ? (value as Problem)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What the API refuses, in the words of the command. @param url what was asked for, which may be at another server */
export function refusalError(problem: Problem, url: URL, settings: Settings): CommandError {
  if (problem.status === 404 && /\/api(?:\/|$)/.test(settings.url.pathname))
    return wrongAddressError(settings);
  return new CommandError(sentence(ownWord(problem.detail)), {
    code: problem.code,
    exit: exitOf(problem),
    hint: hintOf(problem, url, settings),
    details: Object.entries(problem.errors ?? {}).flatMap(([field, messages]) =>
      messages.map((message) => `${field}: ${message}`),
    ),
  });
}

/** fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const inner = cause as (Error & { code?: string }) | undefined;
  if (inner?.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it speaks http, not https';
  return inner?.message || inner?.code || message;
}

/** The address of the API in place of that of the server: nothing is there, whatever is asked for. */
function wrongAddressError({ url }: Settings): CommandError {
  return new CommandError(`${url.href} is not the address of the server.`, {
    code: 'not_airline',
    exit: EXIT.unreachable,
    hint: `Give it without /api: ${url.href.replace(/\/api(?:\/.*)?$/, '')}.`,
  });
}

function exitOf({ status }: Problem): ExitCode {
  switch (status) {
    case 401:
    case 403:
    case 421:
      return EXIT.notAllowed;
    case 404:
      return EXIT.notFound;
    case 409:
    case 412:
      return EXIT.conflict;
    case 400:
    case 413:
    case 415:
    case 422:
      return EXIT.usage;
    default:
      return EXIT.unreachable;
  }
}

function signInHint({ token, tokenSource, loginCall }: Settings): string {
  return token === undefined
    ? `Sign in with \`${loginCall}\`, or set AIRLINE_TOKEN for one call.`
    : `The token of ${tokenSource ?? 'this call'} was sent; \`${loginCall}\` keeps another.`;
}

/** The same server may have several addresses, and a token is for one. */
function elsewhereHint(origin: string, { token, url }: Settings): string {
  const why = token === undefined ? '' : `: yours is for ${url.origin}`;
  return `No token was sent to ${origin}${why}. Log in with --url ${origin}.`;
}

function hintOf(
  { code, hint, instance, status }: Problem,
  { origin }: URL,
  settings: Settings,
): string {
  const { tokenSource } = settings;
  if ((status === 401 || status === 403) && origin !== settings.url.origin)
    return elsewhereHint(origin, settings);
  if (code === 'unauthenticated') return signInHint(settings);
  if (code === 'forbidden' && tokenSource !== undefined)
    return `${hint} The one of ${tokenSource} was sent.`;
  return status >= 500 ? `${hint} (${instance.replace('urn:airline:request:', 'request ')})` : hint;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** People who asked for a ticket call the full ticket a ticket. */
function ownWord(detail: string): string {
  return detail.replace(/\bfullticket\b/, 'ticket');
}
