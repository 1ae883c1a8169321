import type { PageMeta, Problem } from '../api/contract.ts';
import { CommandError, Interrupted } from './command-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

/** A page of a list, as the API answers it. */
export type Page<T> = { meta: PageMeta; objects: T[] };

type Query = Readonly<Record<string, string | number | undefined>>;

export type RestLimits = {
  /** An answer takes no longer than this to start. */
  readonly answerMs: number;
  /** A request is sent at most this often. */
  readonly tries: number;
  /** Before the second try; it doubles from try to try. */
  readonly pauseMs: number;
  /** No pause is longer, whatever the server asks for. */
  readonly longestPauseMs: number;
};

const REST_LIMITS: RestLimits = {
  answerMs: 30_000,
  tries: 4,
  pauseMs: 300,
  longestPauseMs: 10_000,
};

/** A client of Airline's REST API. Everything that it throws is a CommandError. */
export type Rest = {
  readonly url: URL;
  get: <T>(path: string, query?: Query) => Promise<T>;
  /** Sent under one Idempotency-Key, so that it happens once however often it has to be sent. */
  write: <T>(
    method: 'POST' | 'PATCH',
    path: string,
    body?: unknown,
    options?: WriteOptions,
  ) => Promise<T>;
  /** The answer itself, of 2xx: to read what is no JSON, or what comes bit by bit. */
  open: (address: string, options?: OpenOptions) => Promise<Response>;
  /** A page for people on the same server. */
  page: (path: string) => string;
};

type WriteOptions = {
  readonly ifMatch?: string;
  /** JSON text that is sent as it is, instead of a body. */
  readonly text?: string;
  /** False for what the server does not keep under its key, such as a new token. */
  readonly isRepeatable?: boolean;
};

type OpenOptions = {
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the body anew for each try. */
  readonly body?: () => NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal;
  readonly tries?: number;
  /** An answer takes no longer than this to start; 0: the caller's signal decides. */
  readonly answerMs?: number;
};

const JSON_TYPES = 'application/json, application/problem+json';

/** Makes a client of one server. */
export function createRest(
  surroundings: Surroundings,
  settings: Settings,
  options: { limits?: RestLimits; notice?: (text: string) => void } = {},
): Rest {
  const { fetch, sleep, interruption } = surroundings;
  const { limits = REST_LIMITS, notice = () => undefined } = options;
  const base = settings.url;

  /** Keeps a path in the server's own address, where that has a path of its own. */
  const addressOf = (address: string, query: Query = {}): URL => {
    const url = /^https?:/.test(address)
      ? new URL(address)
      : new URL(base.pathname.replace(/\/$/, '') + address, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.append(name, String(value));
    return url;
  };

  async function send(url: URL, init: RequestInit, sending: OpenOptions): Promise<Response> {
    const tries = sending.tries ?? limits.tries;
    for (let tried = 1; ; tried += 1) {
      const { response, error } = await sendOnce(url, init, sending);
      if (response && !isPassing(response)) return response;
      if (tried >= tries) {
        if (response) return response;
        throw error;
      }
      const pauseMs = pauseBefore(tried, response);
      await response?.body?.cancel();
      if (tried === 1)
        notice(
          `${response ? `The server is busy (HTTP ${response.status})` : `No answer from ${url.host}`}; trying again.`,
        );
      await sleep(pauseMs, interruption).catch(() => {
        throw new Interrupted();
      });
    }
  }

  async function sendOnce(
    url: URL,
    init: RequestInit,
    sending: OpenOptions,
  ): Promise<{ response?: Response; error?: unknown }> {
    const late = new AbortController();
    const answerMs = sending.answerMs ?? limits.answerMs;
    const timer = answerMs > 0 ? setTimeout(() => late.abort(), answerMs) : undefined;
    const signals = [interruption, late.signal, ...(sending.signal ? [sending.signal] : [])];
    try {
      const body = sending.body?.();
      const response = await fetch(url, {
        ...init,
        ...(body === undefined ? {} : { body, duplex: 'half' }),
        // A redirect would take the token, or what is written, somewhere else.
        redirect: 'manual',
        signal: AbortSignal.any(signals),
      });
      return { response };
    } catch (error) {
      if (interruption.aborted) throw new Interrupted();
      if (sending.signal?.aborted) throw error;
      return { error: unreachable(url, error, late.signal.aborted ? answerMs : undefined) };
    } finally {
      clearTimeout(timer);
    }
  }

  function pauseBefore(tried: number, response: Response | undefined): number {
    const askedMs = Number(response?.headers.get('retry-after') ?? 'NaN') * 1_000;
    const ownMs = limits.pauseMs * 2 ** (tried - 1);
    return Math.min(Number.isFinite(askedMs) ? askedMs : ownMs, limits.longestPauseMs);
  }

  async function open(address: string, sending: OpenOptions = {}): Promise<Response> {
    const url = addressOf(address);
    // The token is for its server only; the data store may be elsewhere.
    const isOwn = url.origin === base.origin;
    const headers = {
      'user-agent': `airline/${surroundings.version}`,
      accept: JSON_TYPES,
      ...(isOwn && settings.token !== undefined
        ? { authorization: `Bearer ${settings.token}` }
        : {}),
      ...sending.headers,
    };
    const response = await send(url, { method: sending.method ?? 'GET', headers }, sending);
    if (response.ok) return response;
    throw await refusal(url, response, settings);
  }

  async function readJson<T>(response: Response): Promise<T> {
    const text = await response.text().catch((error: unknown) => {
      if (interruption.aborted) throw new Interrupted();
      throw unreachable(new URL(response.url || base), error, undefined);
    });
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch (error) {
      throw notAirline(new URL(response.url || base), response, error);
    }
  }

  return {
    url: base,
    open,
    get: async <T>(path: string, query?: Query) =>
      readJson<T>(await open(addressOf(path, query).href)),
    write: async <T>(
      method: 'POST' | 'PATCH',
      path: string,
      body?: unknown,
      { ifMatch, text, isRepeatable = true }: WriteOptions = {},
    ) => {
      const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
      const url = addressOf(path);
      const headers = {
        'user-agent': `airline/${surroundings.version}`,
        accept: JSON_TYPES,
        'idempotency-key': `"${crypto.randomUUID()}"`,
        ...(settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` }),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      };
      const response = await send(
        url,
        { method, headers, ...(content === undefined ? {} : { body: content }) },
        isRepeatable ? {} : { tries: 1 },
      );
      if (!response.ok) throw await refusal(url, response, settings);
      return readJson<T>(response);
    },
    page: (path) => addressOf(path).href,
  };
}

/** Answers that say that the same request may succeed in a moment. */
function isPassing({ status, headers }: Response): boolean {
  if (status === 409) return headers.has('retry-after');
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function unreachable(url: URL, cause: unknown, waitedMs: number | undefined): CommandError {
  const inner = (cause as Error).cause as (Error & { code?: string }) | undefined;
  const why =
    waitedMs === undefined
      ? inner?.message || inner?.code || (cause as Error).message
      : `nothing came within ${waitedMs / 1_000} s`;
  return new CommandError(`${url.origin} does not answer (${why}).`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'Is Airline running there? --url, AIRLINE_URL or a profile says where to look.',
    cause,
  });
}

function notAirline(url: URL, response: Response, cause?: unknown): CommandError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return new CommandError(
    `${url.href} does not answer as Airline does (HTTP ${response.status}, ${type}).`,
    {
      code: 'not_airline',
      exit: response.status === 404 ? EXIT.notFound : EXIT.unreachable,
      hint: 'Check --url, AIRLINE_URL or the profile: it is the address of the server, without /api.',
      cause,
    },
  );
}

/** The error of the API that an answer carries. */
async function refusal(url: URL, response: Response, settings: Settings): Promise<CommandError> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(text);
  if (!problem) return notAirline(url, response);
  const exit = exitOf(problem);
  const hint =
    problem.code === 'unauthenticated' ? signInHint(settings) : hintOf(problem, settings);
  return new CommandError(sentence(ownWord(problem.detail)), {
    code: problem.code,
    exit,
    hint,
    details: Object.entries(problem.errors ?? {}).flatMap(([field, messages]) =>
      messages.map((message) => `${field}: ${message}`),
    ),
  });
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string'
      ? (value as Problem)
      : undefined;
  } catch {
    return undefined;
  }
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
    ? `\`${loginCall}\` keeps a token, AIRLINE_TOKEN gives one for a call.`
    : `The token of ${tokenSource ?? 'this call'} was sent; \`${loginCall}\` keeps another.`;
}

function hintOf({ code, hint, instance, status }: Problem, { tokenSource }: Settings): string {
  if (code === 'forbidden' && tokenSource !== undefined)
    return `${hint} The one of ${tokenSource} was sent.`;
  return status >= 500 ? `${hint} (${instance.replace('urn:airline:request:', 'request ')})` : hint;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The full ticket is a ticket to who asked for one. */
function ownWord(detail: string): string {
  return detail.replace(/\bfullticket\b/, 'ticket');
}
