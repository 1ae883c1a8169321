import type { Logger } from 'pino';
import { z } from 'zod';
import { UNBOUNDED, type CallBudget } from './call-budget.ts';
import { authorization, type Credentials } from './credentials.ts';
import { COLLECTION } from './wire.ts';

/** The PPA's web service does not answer, or answers that it cannot now. The same call may succeed later. */
export class PpaUnavailableError extends Error {
  override readonly name = 'PpaUnavailableError';
  /** The wait that its Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
  /** Nobody asked it: more calls wait than Airline allows itself. */
  readonly isOwnRate: boolean;

  constructor(
    message: string,
    {
      retryAfterMs,
      isOwnRate = false,
      ...options
    }: ErrorOptions & { retryAfterMs?: number | undefined; isOwnRate?: boolean } = {},
  ) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.isOwnRate = isOwnRate;
  }
}

/** The PPA's web service refused a call, or answered something that is not its protocol. */
export class PpaAnswerError extends Error {
  override readonly name = 'PpaAnswerError';
  readonly status: number;
  /** The beginning of the answer's text. */
  readonly said: string;

  constructor(status: number, message: string, options: ErrorOptions & { said?: string } = {}) {
    super(message, options);
    this.status = status;
    this.said = options.said ?? '';
  }

  /** Whether it is Launchpad's answer for an archive that does not exist; see unlessMissingInArchive. */
  get isRedirectOfArchive(): boolean {
    return this.status === HTTP_SEE_OTHER;
  }

  /** Whether it names another address, which is not asked: the token is for Launchpad's web service alone. */
  get isRedirect(): boolean {
    return isRedirectStatus(this.status);
  }
}

/** Launchpad's web service: what is called, read and understood there, whatever it is about. */
export type WebService = {
  /** Address of the version, with a slash at its end. */
  root: URL;
  /**
   * The answer's text.
   *
   * @param signal what it is aborted with is thrown where nothing was sent yet; the answer to what was sent is heard
   */
  call(
    method: 'GET' | 'POST',
    url: URL,
    body?: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<string>;
  read<T>(url: URL, schema: z.ZodType<T>): Promise<T>;
  /** All of a collection, of at most 6,000 records. */
  readAll<T extends { self_link: string }>(first: URL, schema: z.ZodType<T>): Promise<T[]>;
  /** All of a collection, read once: what moves from page to page meanwhile may be missed. */
  readOnce<T>(first: URL, schema: z.ZodType<T>): Promise<T[]>;
  /** The first 300 of a collection, by one call. */
  readFirst<T>(first: URL, schema: z.ZodType<T>): Promise<T[]>;
};

export type WebServiceOptions = {
  /** Without the version, such as https://api.launchpad.net/ */
  rootUrl: string;
  /** Of the account that owns the PPA; without them only reading works. */
  credentials?: Credentials | undefined;
  /** Time for one answer. */
  timeoutMs: number;
  /** When it may be called; at once where it is not given. */
  budget?: CallBudget;
  logger: Logger;
};

const HTTP_SEE_OTHER = 303;
const HTTP_GONE = 410;
const MAX_SAID = 300;
const MAX_PAGES = 20;
const MAX_READINGS = 5;
// lazr.restful's own bound of `ws.size`.
const MAX_PAGE_SIZE = 300;
const MAX_PAGES_READ_ONCE = 200;
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
// Launchpad answers 503 with Retry-After: 900 when one request ran into its time-out; a pause of that
// length would leave a build unwatched for no reason.
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * Opens Launchpad's web service, version `devel`: only that one has `cancel`.
 *
 * @throws from every method: PpaUnavailableError where a later try may help, else PpaAnswerError
 */
export function openWebService({
  rootUrl,
  credentials,
  timeoutMs,
  budget = UNBOUNDED,
  logger,
}: WebServiceOptions): WebService {
  const root = new URL('devel/', rootUrl.endsWith('/') ? rootUrl : `${rootUrl}/`);

  const call: WebService['call'] = async (method, url, body, signal) => {
    // Links come back from answers and from workflow inputs; the token goes to no other server.
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname))
      throw new PpaAnswerError(0, `${url.href} is not an address of ${root.href}`);
    await budget.take();
    // Its turn may have come a minute later.
    signal?.throwIfAborted();
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        ...(body ? { body } : {}),
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          'user-agent': 'airline',
          ...(credentials ? { authorization: authorization(credentials) } : {}),
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await boundedText(response, url);
    } catch (error) {
      if (error instanceof PpaAnswerError) throw error;
      await budget.failed();
      throw new PpaUnavailableError(`${method} ${url.href}: ${reasonOf(error)}`, { cause: error });
    }
    const isUnavailable = response.status >= 500 || [408, 429].includes(response.status);
    if (isUnavailable) {
      // A 503 is about one request that took too long; a 429 is about all.
      const pauseMs = response.status === 429 ? retryAfterMs(response) : undefined;
      await budget.failed(pauseMs);
    } else await budget.answered();
    if (response.ok) return text;
    const status = isRedirectStatus(response.status)
      ? `${response.status}, a redirect, which is not followed.`
      : response.status;
    const said = `${method} ${url.href}: ${status} ${text.slice(0, MAX_SAID)}`.trim();
    logger.debug({ method, url: url.href, status: response.status }, 'the PPA refused a call');
    if (isUnavailable)
      throw new PpaUnavailableError(said, { retryAfterMs: retryAfterMs(response) });
    throw new PpaAnswerError(response.status, said, { said: text.slice(0, MAX_SAID).trim() });
  };

  async function read<T>(url: URL, schema: z.ZodType<T>): Promise<T> {
    const answer = await call('GET', url);
    return understand(url, schema, answer);
  }

  /**
   * All of a collection. Pages are counted by position: if a record disappears between two pages, another is silently
   * missed. So a collection of several pages is read until two readings in a row have the same records.
   */
  async function readAll<T extends { self_link: string }>(
    first: URL,
    schema: z.ZodType<T>,
  ): Promise<T[]> {
    let before: string | undefined;
    for (let reading = 0; reading < MAX_READINGS; reading++) {
      const { entries, pages } = await readPages(first);
      const records = validate(first, z.array(schema), entries);
      const links = records.map((record) => record.self_link).join(' ');
      if (pages === 1 || links === before) return records;
      before = links;
    }
    throw new PpaUnavailableError(
      `${first.href} was another one at each of ${MAX_READINGS} readings`,
    );
  }

  async function readOnce<T>(first: URL, schema: z.ZodType<T>): Promise<T[]> {
    const { entries } = await readPages(first, MAX_PAGES_READ_ONCE);
    return validate(first, z.array(schema), entries);
  }

  async function readFirst<T>(first: URL, schema: z.ZodType<T>): Promise<T[]> {
    const { entries } = await read(inLargePages(first), COLLECTION);
    return validate(first, z.array(schema), entries);
  }

  async function readPages(
    first: URL,
    maxPages = MAX_PAGES,
  ): Promise<{ entries: unknown[]; pages: number }> {
    const entries: unknown[] = [];
    let pages = 0;
    let next: URL | undefined = inLargePages(first);
    for (; next; pages++) {
      if (pages === maxPages)
        throw new PpaAnswerError(200, `${first.href} has more than ${maxPages} pages`);
      const collection: z.infer<typeof COLLECTION> = await read(next, COLLECTION);
      entries.push(...collection.entries);
      next = collection.next_collection_link ? new URL(collection.next_collection_link) : undefined;
    }
    return { entries, pages };
  }

  return { root, call, read, readAll, readOnce, readFirst };
}

function isRedirectStatus(status: number): boolean {
  return status >= 300 && status < 400;
}

function inLargePages(first: URL): URL {
  const url = new URL(first);
  url.searchParams.set('ws.size', String(MAX_PAGE_SIZE));
  return url;
}

/**
 * Undefined where the PPA's web service knows no such thing, perhaps since a moment ago, or does not show it to our
 * account.
 */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PpaAnswerError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * As unlessMissing, of what is read at the address of an archive or below it. Launchpad takes an address that no PPA
 * has for one of an older form, without a distribution or a name, and redirects by 303 to the PPA that the owner has
 * under that form, such as `ppa` (lib/lp/registry/browser/person.py, `traverse_archive`). Other redirects are of a root
 * that is not Launchpad's own. It answers 410 where the owner is suspended.
 */
export async function unlessMissingInArchive<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await unlessMissing(answer);
  } catch (error) {
    if (
      error instanceof PpaAnswerError &&
      (error.isRedirectOfArchive || error.status === HTTP_GONE)
    )
      return undefined;
    throw error;
  }
}

/** Parameters are JSON, and `ws.op` names the operation (lazr.restful). */
export function setOperation(
  url: URL,
  operation: string,
  parameters: Record<string, unknown>,
): void {
  for (const [name, value] of Object.entries(parameters))
    url.searchParams.set(name, JSON.stringify(value));
  url.searchParams.set('ws.op', operation);
}

function understand<T>(url: URL, schema: z.ZodType<T>, text: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    // A body that was cut on the way, or the page of a proxy: neither is Launchpad's answer.
    throw new PpaUnavailableError(`${url.href} did not answer whole JSON`, { cause: error });
  }
  return validate(url, schema, json);
}

function validate<T>(url: URL, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PpaAnswerError(200, `${url.href} answered in another form than Launchpad's`, {
    cause: parsed.error,
  });
}

/**
 * The text of an answer, all of it.
 *
 * @throws PpaAnswerError where it has more than 16 MiB; what fetch throws where it breaks off
 */
export async function boundedText(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ANSWER_BYTES)
      throw new PpaAnswerError(
        response.status,
        `${url.href} answered more than ${MAX_ANSWER_BYTES} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Retry-After is seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
