import type { Problem } from '../../api/openapi/contract.generated.ts';
import { CommandError } from '../command-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Settings } from '../settings/settings.ts';
import { sentence } from '../../domain/text/sentence.ts';

/** Codes of OpenSSL for a certificate whose signer is not known. */
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * No answer came.
 *
 * @param asked.waitedMs how long it was waited for, where that was too long
 * @param asked.isElsewhere whether another host than Airline's was asked, such as a PPA's
 */
export function unreachableError(
  url: URL,
  cause: unknown,
  asked: { waitedMs: number | undefined; isElsewhere: boolean | undefined },
): CommandError {
  const { waitedMs, isElsewhere } = asked;
  const why =
    waitedMs === undefined ? reasonOf(cause) : `nothing came within ${waitedMs / 1_000} s`;
  return new CommandError(`${url.origin} does not answer (${why}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: UNTRUSTED_CODES.has(causeOf(cause)?.code ?? '')
      ? 'Node trusts no authority that signed its certificate. If the authority is your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.'
      : isElsewhere
        ? 'The file is on that host, not on the server of Airline. Try again later.'
        : 'Is Airline running there? --url, AIRLINE_URL or a profile says where to look.',
    cause,
  });
}

/** Another host than Airline's, such as that of a PPA or of a store of logs, does not give a file. */
export function fileRefusedError(url: URL, { status }: Response): CommandError {
  return new CommandError(`${url.href} answers with HTTP ${status}.`, fileRefusal(status));
}

function fileRefusal(status: number): { code: string; exit: ExitCode; hint?: string } {
  switch (status) {
    case 404:
    case 410:
      return {
        code: 'not_found',
        exit: EXIT.notFound,
        hint: 'It is not there any more: another version has replaced it, or it was deleted.',
      };
    case 401:
    case 403:
      return {
        code: 'forbidden',
        exit: EXIT.notAllowed,
        hint: 'It is not open to everybody, as in a private PPA, and no token is sent there.',
      };
    default:
      return {
        code: 'unreachable',
        exit: EXIT.unreachable,
        ...(status === 429 || status >= 500 ? { hint: 'Try again in a moment.' } : {}),
      };
  }
}

/** Something before the server answered that it cannot be reached now. */
export function unavailableError(url: URL, { status }: Response): CommandError {
  return new CommandError(`${url.origin} cannot take requests now (HTTP ${status}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'A proxy in front of Airline answered: Airline may still be starting. Try again in a moment.',
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
  const { status, headers } = response;
  const target = redirectTarget(url, response);
  const what = target
    ? ` to ${target.origin}${target.pathname}`
    : `, ${headers.get('content-type') ?? 'no content type'}`;
  const address = target && serverAddress(target);
  const isElsewhere = address !== undefined && address !== serverAddress(url);
  return new CommandError(`${url.href} does not answer as Airline does (HTTP ${status}${what}).`, {
    code: 'not_airline',
    exit: EXIT.unreachable,
    hint: isElsewhere
      ? `If Airline is there, its address is ${address}: give it by --url, AIRLINE_URL or the profile.`
      : 'Check --url, AIRLINE_URL or the profile: it is the address of the server, without /api.',
    cause,
  });
}

/** Where a redirect leads: a proxy may send on from http to https. */
function redirectTarget(url: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return undefined;
  return URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

/** The address of the server whose API has this address; undefined where that is none of an API. */
function serverAddress({ origin, pathname }: URL): string | undefined {
  const at = pathname.indexOf('/api/');
  return at === -1 ? undefined : origin + pathname.slice(0, at);
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
  const inner = causeOf(error);
  if (inner?.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it speaks http, not https';
  return inner?.message || inner?.code || (error as Error).message;
}

function causeOf(error: unknown): (Error & { code?: string }) | undefined {
  return (error as Error).cause as (Error & { code?: string }) | undefined;
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

function signInHint({ token, tokenSource, tokenWay, loginCall }: Settings): string {
  if (token !== undefined)
    return `The token of ${tokenSource ?? 'this call'} was sent; \`${loginCall}\` keeps another.`;
  return tokenWay === 'AIRLINE_TOKEN'
    ? `Sign in with \`${loginCall}\`, or set AIRLINE_TOKEN for one call.`
    : `Sign in with \`${loginCall}\`, or give one call a token by --token-file: AIRLINE_TOKEN does not count with --profile.`;
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

/** People who asked for a ticket call the full ticket a ticket. */
function ownWord(detail: string): string {
  return detail.replace(/\bfullticket\b/, 'ticket');
}
