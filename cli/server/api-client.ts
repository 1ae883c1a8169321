import type { PageMeta } from '../../api/openapi/contract.generated.ts';
import {
  fileRefusedError,
  incompleteError,
  unreadableError,
  notAirlineError,
  parseProblem,
  refusalError,
  unavailableError,
} from './response-errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { CommandEnvironment } from '../environment.ts';
import {
  createTransport,
  DEFAULT_LIMITS,
  isPassing,
  type RequestOptions,
  type TransportLimits,
  type WaitOptions,
} from './transport.ts';

/** A page of a list, as the API answers it. */
export type Page<T> = { meta: PageMeta; objects: T[] };

/** A JSON answer with its text and the headers that matter. */
type JsonAnswer<T> = {
  readonly value: T;
  /** As it came. */
  readonly text: string;
  readonly etag: string | null;
  /** The `Link` header; empty if it is missing. */
  readonly link: string;
};

/** An answer that comes bit by bit. */
type StreamAnswer = {
  /** HTTP 204: there is nothing, and there will be nothing. */
  readonly isNothing: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
};

type Query = Readonly<Record<string, string | number | undefined>>;

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
  /** Deletes what is at a path. It is sent once: a second time there is nothing to delete. */
  remove: (path: string) => Promise<void>;
  /** The JSON of an address, with its text and its ETag. */
  json: <T>(address: string, options?: RequestOptions) => Promise<JsonAnswer<T>>;
  text: (address: string) => Promise<string>;
  /** @param options.type the expected media type: an answer of another type is `not_airline` */
  stream: (
    address: string,
    options?: WaitOptions & { headers?: Readonly<Record<string, string>>; type?: string },
  ) => Promise<StreamAnswer>;
  /** Whether Airline has answered any request so far. */
  hasAnswered: () => boolean;
  /** A page for people on the same server. */
  page: (path: string) => string;
};

type WriteOptions = Pick<WaitOptions, 'answerMs'> & {
  readonly ifMatch?: string;
  /** JSON text that is sent as it is, instead of a body. */
  readonly text?: string;
  /** False for what only the first answer has, such as a new token. */
  readonly isRepeatable?: boolean;
};

const JSON_TYPES = 'application/json, application/problem+json';
/**
 * A file has nothing but its length to tell that it is whole: fetch takes the end of a connection that is not kept
 * alive for the end of the answer. What is compressed comes without a length.
 */
const WITH_LENGTH = { 'accept-encoding': 'identity' };

/** Makes a client of one server. */
export function createApiClient(
  environment: CommandEnvironment,
  settings: Settings,
  options: { limits?: TransportLimits; notice?: (text: string) => void } = {},
): ApiClient {
  const { limits = DEFAULT_LIMITS, notice = () => undefined } = options;
  const { send, throwIfEnded } = createTransport(environment, limits, notice);
  const base = settings.url;
  let hasAnswered = false;

  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}/`;

  /** Keeps a path in the server's own address, where that has a path of its own. */
  const addressOf = (address: string, query: Query = {}): URL => {
    // With the dot it stays a path: `//api` would be a host (RFC 3986, 4.2).
    const url = /^https?:/.test(address) ? new URL(address) : new URL(`.${address}`, root);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.append(name, String(value));
    return url;
  };

  /** Asks, and gives an answer of 2xx. */
  async function ask(url: URL, asked: RequestOptions): Promise<Response> {
    // The token is for its server only; the data store may be elsewhere, and a PPA sends on to its library.
    const isElsewhere = url.origin !== base.origin;
    const headers = {
      'user-agent': `airline/${environment.version}`,
      accept: JSON_TYPES,
      ...(!isElsewhere && settings.token !== undefined
        ? { authorization: `Bearer ${settings.token}` }
        : {}),
      ...asked.headers,
    };
    const response = await send(
      url,
      { method: asked.method ?? 'GET', headers },
      { ...asked, isElsewhere },
    );
    if (response.ok) return response;
    const problem = parseProblem(await readText(url, response, asked.signal));
    if (problem) {
      hasAnswered = true;
      throw refusalError(problem, url, settings);
    }
    if (isElsewhere) throw fileRefusedError(url, response);
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
    const isJson = isOfType(response, 'application/json');
    if (text === '' && response.status === 202 && !isJson) throw unreadableError();
    try {
      const value = JSON.parse(text) as T;
      hasAnswered = true;
      const { headers } = response;
      return { value, text, etag: headers.get('etag'), link: headers.get('link') ?? '' };
    } catch (error) {
      throw isJson ? incompleteError(url, error) : notAirlineError(url, response, error);
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
      const response = await ask(url, { headers: { accept: '*/*', ...WITH_LENGTH } });
      return readText(url, response, undefined);
    },
    stream: async (address, { type, headers, ...wait } = {}) => {
      const url = addressOf(address);
      const accept = type === undefined ? '*/*' : `${type}, application/problem+json`;
      const response = await ask(url, { ...wait, headers: { accept, ...WITH_LENGTH, ...headers } });
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
      { ifMatch, text, isRepeatable = true, ...wait }: WriteOptions = {},
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
        ...wait,
      });
      return value;
    },
    remove: async (path) => {
      await ask(addressOf(path), { method: 'DELETE', maxTries: 1 });
    },
    page: (path) => addressOf(path).href,
  };
}

function isOfType({ headers }: Response, type: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;
}
