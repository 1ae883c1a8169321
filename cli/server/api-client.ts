import type { PageMeta } from '../../api/openapi/contract.generated.ts';
import {
  incompleteError,
  notAirlineError,
  parseProblem,
  refusalError,
  unavailableError,
  unreachableError,
} from './response-errors.ts';
import { Interrupted } from '../command-error.ts';
import type { Settings } from '../settings/settings.ts';
import type { CommandEnvironment } from '../environment.ts';

/** A page of a list, as the API answers it. */
export type Page<T> = { meta: PageMeta; objects: T[] };

/** An answer of JSON with what stands around it. */
type JsonAnswer<T> = {
  readonly value: T;
  /** As it came. */
  readonly text: string;
  readonly etag: string | null;
  /** The `Link` header; empty where there is none. */
  readonly link: string;
};

/** An answer that comes bit by bit. */
type StreamAnswer = {
  /** HTTP 204: there is nothing, and there will be nothing. */
  readonly isNothing: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
};

type Query = Readonly<Record<string, string | number | undefined>>;

export type ApiClientLimits = {
  /** An answer takes no longer than this to start. */
  readonly answerMs: number;
  /** A request is sent at most this often. */
  readonly maxTries: number;
  /** Before the second try; it doubles from try to try. */
  readonly pauseMs: number;
  /** No pause is longer, whatever the server asks for. */
  readonly maxPauseMs: number;
};

const DEFAULT_LIMITS: ApiClientLimits = {
  answerMs: 30_000,
  maxTries: 4,
  pauseMs: 300,
  maxPauseMs: 10_000,
};

/**
 * A client of Airline's REST API. Everything that it throws is a CommandError, also while a body is read, but for the
 * reason of a caller's signal.
 */
export type ApiClient = {
  readonly url: URL;
  get: <T>(path: string, query?: Query, wait?: WaitOptions) => Promise<T>;
  /** Sent under one Idempotency-Key, so that it happens once however often it has to be sent. */
  write: <T>(
    method: 'POST' | 'PATCH',
    path: string,
    body?: unknown,
    options?: WriteOptions,
  ) => Promise<T>;
  /** The JSON of an address, with its text and its ETag. */
  json: <T>(address: string, options?: RequestOptions) => Promise<JsonAnswer<T>>;
  text: (address: string) => Promise<string>;
  /** @param options.type the media type that is due: of another it is `not_airline` */
  stream: (
    address: string,
    options?: WaitOptions & { headers?: Readonly<Record<string, string>>; type?: string },
  ) => Promise<StreamAnswer>;
  /** Whether Airline has answered any request so far. */
  hasAnswered: () => boolean;
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

/** How long and how often an answer is asked for. */
type WaitOptions = {
  /** Ends it; its reason is thrown. */
  readonly signal?: AbortSignal;
  readonly maxTries?: number;
  /** An answer takes no longer than this to start. */
  readonly answerMs?: number;
};

type RequestOptions = WaitOptions & {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the body anew for each try. */
  readonly body?: () => NonNullable<RequestInit['body']>;
};

const JSON_TYPES = 'application/json, application/problem+json';

/** Makes a client of one server. */
export function createApiClient(
  environment: CommandEnvironment,
  settings: Settings,
  options: { limits?: ApiClientLimits; notice?: (text: string) => void } = {},
): ApiClient {
  const { fetch, sleep, interruption } = environment;
  const { limits = DEFAULT_LIMITS, notice = () => undefined } = options;
  const base = settings.url;
  let hasAnswered = false;

  /** Keeps a path in the server's own address, where that has a path of its own. */
  const addressOf = (address: string, query: Query = {}): URL => {
    const url = /^https?:/.test(address)
      ? new URL(address)
      : new URL(base.pathname.replace(/\/$/, '') + address, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.append(name, String(value));
    return url;
  };

  async function send(url: URL, init: RequestInit, asked: RequestOptions): Promise<Response> {
    const tries = asked.maxTries ?? limits.maxTries;
    for (let tried = 1; ; tried += 1) {
      const { response, error } = await sendOnce(url, init, asked);
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
    asked: RequestOptions,
  ): Promise<{ response?: Response; error?: unknown }> {
    const late = new AbortController();
    const answerMs = asked.answerMs ?? limits.answerMs;
    const timer = setTimeout(() => late.abort(), answerMs);
    const signals = [interruption, late.signal, ...(asked.signal ? [asked.signal] : [])];
    try {
      const body = asked.body?.();
      const response = await fetch(url, {
        ...init,
        ...(body === undefined ? {} : { body, duplex: 'half' }),
        // A redirect would take the token, or what is written, somewhere else.
        redirect: 'manual',
        signal: AbortSignal.any(signals),
      });
      return { response };
    } catch (error) {
      throwIfEnded(asked.signal);
      return { error: unreachableError(url, error, late.signal.aborted ? answerMs : undefined) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ctrl-C and the caller's signal come before whatever failed because of them. */
  function throwIfEnded(signal: AbortSignal | undefined): void {
    if (interruption.aborted) throw new Interrupted();
    signal?.throwIfAborted();
  }

  function pauseBefore(tried: number, response: Response | undefined): number {
    const askedMs = Number(response?.headers.get('retry-after') ?? 'NaN') * 1_000;
    const ownMs = limits.pauseMs * 2 ** (tried - 1);
    return Math.min(Number.isFinite(askedMs) ? askedMs : ownMs, limits.maxPauseMs);
  }

  /** Asks, and gives an answer of 2xx. */
  async function ask(url: URL, asked: RequestOptions): Promise<Response> {
    // The token is for its server only; the data store may be elsewhere.
    const isOwn = url.origin === base.origin;
    const headers = {
      'user-agent': `airline/${environment.version}`,
      accept: JSON_TYPES,
      ...(isOwn && settings.token !== undefined
        ? { authorization: `Bearer ${settings.token}` }
        : {}),
      ...asked.headers,
    };
    const response = await send(url, { method: asked.method ?? 'GET', headers }, asked);
    if (response.ok) return response;
    const problem = parseProblem(await readText(url, response, asked.signal));
    if (problem) {
      hasAnswered = true;
      throw refusalError(problem, settings);
    }
    throw isPassing(response) ? unavailableError(url, response) : notAirlineError(url, response);
  }

  async function readText(
    url: URL,
    response: Response,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    return response.text().catch((error: unknown) => {
      throwIfEnded(signal);
      throw incompleteError(url, error);
    });
  }

  async function* readBytes(
    url: URL,
    response: Response,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* response.body ?? [];
    } catch (error) {
      throwIfEnded(signal);
      throw incompleteError(url, error);
    }
  }

  async function askJson<T>(url: URL, asked: RequestOptions): Promise<JsonAnswer<T>> {
    const response = await ask(url, asked);
    const text = await readText(url, response, asked.signal);
    try {
      const value = JSON.parse(text) as T;
      hasAnswered = true;
      const { headers } = response;
      return { value, text, etag: headers.get('etag'), link: headers.get('link') ?? '' };
    } catch (error) {
      throw isOfType(response, 'application/json')
        ? incompleteError(url, error)
        : notAirlineError(url, response, error);
    }
  }

  return {
    url: base,
    hasAnswered: () => hasAnswered,
    get: async <T>(path: string, query?: Query, wait: WaitOptions = {}) =>
      (await askJson<T>(addressOf(path, query), wait)).value,
    json: async (address, asked = {}) => askJson(addressOf(address), asked),
    text: async (address) => {
      const url = addressOf(address);
      return readText(url, await ask(url, { headers: { accept: '*/*' } }), undefined);
    },
    stream: async (address, { type, headers, ...wait } = {}) => {
      const url = addressOf(address);
      const accept = type === undefined ? '*/*' : `${type}, application/problem+json`;
      const response = await ask(url, { ...wait, headers: { accept, ...headers } });
      const isNothing = response.status === 204;
      if (type !== undefined && !isNothing && !isOfType(response, type)) {
        await response.body?.cancel();
        throw notAirlineError(url, response);
      }
      hasAnswered = true;
      return { isNothing, bytes: readBytes(url, response, wait.signal) };
    },
    write: async <T>(
      method: 'POST' | 'PATCH',
      path: string,
      body?: unknown,
      { ifMatch, text, isRepeatable = true }: WriteOptions = {},
    ) => {
      const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
      const { value } = await askJson<T>(addressOf(path), {
        method,
        headers: {
          'idempotency-key': `"${crypto.randomUUID()}"`,
          ...(content === undefined ? {} : { 'content-type': 'application/json' }),
          ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        },
        ...(content === undefined ? {} : { body: () => content }),
        ...(isRepeatable ? {} : { maxTries: 1 }),
      });
      return value;
    },
    page: (path) => addressOf(path).href,
  };
}

/** Answers that say that the same request may succeed in a moment. */
function isPassing({ status, headers }: Response): boolean {
  if (status === 409) return headers.has('retry-after');
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function isOfType({ headers }: Response, type: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;
}
