import type { Logger } from 'pino';
import { z } from 'zod';
import { ppaReference, type Ppa } from '../domain/ppa.ts';
import { authorization, type Credentials } from './credentials.ts';
import {
  ARCHIVE,
  BINARY_FILES,
  BINARY_PUBLICATION,
  BUILD,
  COLLECTION,
  SERIES,
  SOURCE_FILES,
  SOURCE_PUBLICATION,
  type Archive,
  type BinaryFile,
  type BinaryPublication,
  type Build,
  type PublishedFile,
  type Series,
  type SourcePublication,
} from './wire.ts';

/** The PPA's web service does not answer, or answers that it cannot now. The same call may succeed later. */
export class PpaUnavailableError extends Error {
  override readonly name = 'PpaUnavailableError';
  /** The wait that its Retry-After asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The PPA's web service refused a call, or answered something that is not its protocol. */
export class PpaAnswerError extends Error {
  override readonly name = 'PpaAnswerError';
  readonly status: number;

  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.status = status;
  }
}

/** The part of Launchpad's web service that builds need. Names are Launchpad's own. */
export type PpaClient = {
  /** Whether there is such a PPA, as far as our account can see. */
  hasPpa(ppa: Ppa): Promise<boolean>;
  /** The PPA; undefined where there is none, as far as our account can see. */
  getArchive(ppa: Ppa): Promise<Archive | undefined>;
  /** A series of a distribution; undefined where there is none. */
  getSeries(distribution: string, name: string): Promise<Series | undefined>;
  /** Publications of a source in one series, of all versions that are Pending or Published; none if the PPA does not exist. */
  getLiveSources(ppa: Ppa, series: string, source: string): Promise<SourcePublication[]>;
  /** Publications of exactly this source and version in any series and status; none if the PPA does not exist. */
  getPublishedSources(
    ppa: Ppa,
    source: { source: string; version: string },
  ): Promise<SourcePublication[]>;
  /** The builds of a publication, one for each architecture. */
  getBuilds(publicationLink: string): Promise<Build[]>;
  /** What the builds of a publication made, in any status. */
  getPublishedBinaries(publicationLink: string): Promise<BinaryPublication[]>;
  /** The files of a publication, with their sizes and checksums. */
  sourceFileUrls(publicationLink: string): Promise<PublishedFile[]>;
  /** The file of a package's publication, with its size and checksums. */
  binaryFileUrls(publicationLink: string): Promise<BinaryFile[]>;
  getBuild(buildLink: string): Promise<Build>;
  /** Asks to cancel a build. Launchpad ignores it, with 200, where the build cannot be cancelled. */
  cancel(buildLink: string): Promise<void>;
  /** Asks to retry a build. False where Launchpad says that it cannot be retried. */
  retry(buildLink: string): Promise<boolean>;
};

const MAX_PAGES = 20;
const MAX_READINGS = 5;
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
// Launchpad answers 503 with Retry-After: 900 when one request ran into its time-out; a pause of that
// length would leave a build unwatched for no reason.
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * A client of Launchpad's web service, version `devel`: only that one has `cancel`.
 *
 * @param rootUrl without the version, such as https://api.launchpad.net/
 * @param credentials of the account that owns the PPA; without them only reading works
 * @param timeoutMs time for one answer
 * @throws from every method: PpaUnavailableError where a later try may help, else PpaAnswerError
 */
export function createPpaClient({
  rootUrl,
  credentials,
  timeoutMs,
  logger,
}: {
  rootUrl: string;
  credentials?: Credentials | undefined;
  timeoutMs: number;
  logger: Logger;
}): PpaClient {
  const root = new URL('devel/', rootUrl.endsWith('/') ? rootUrl : `${rootUrl}/`);

  async function call(method: 'GET' | 'POST', url: URL, body?: URLSearchParams): Promise<unknown> {
    // Links come back from answers and from workflow inputs; the token goes to no other server.
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname))
      throw new PpaAnswerError(0, `${url.href} is not an address of ${root.href}`);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        ...(body ? { body } : {}),
        redirect: 'error',
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
      throw new PpaUnavailableError(`${method} ${url.href}: ${reasonOf(error)}`, { cause: error });
    }
    if (response.ok) return text;
    const said = `${method} ${url.href}: ${response.status} ${text.slice(0, 300)}`.trim();
    logger.debug({ method, url: url.href, status: response.status }, 'the PPA refused a call');
    if (response.status >= 500 || response.status === 429 || response.status === 408)
      throw new PpaUnavailableError(said, { retryAfterMs: retryAfterMs(response) });
    throw new PpaAnswerError(response.status, said);
  }

  async function read<T>(url: URL, schema: z.ZodType<T>): Promise<T> {
    const answer = await call('GET', url);
    return understand(url, schema, answer as string);
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

  async function readPages(first: URL): Promise<{ entries: unknown[]; pages: number }> {
    const entries: unknown[] = [];
    let pages = 0;
    let next: URL | undefined = first;
    for (; next; pages++) {
      if (pages === MAX_PAGES)
        throw new PpaAnswerError(200, `${first.href} has more than ${MAX_PAGES} pages`);
      const collection: z.infer<typeof COLLECTION> = await read(next, COLLECTION);
      entries.push(...collection.entries);
      next = collection.next_collection_link ? new URL(collection.next_collection_link) : undefined;
    }
    return { entries, pages };
  }

  async function publishedSources(
    ppa: Ppa,
    filters: Record<string, unknown>,
  ): Promise<SourcePublication[]> {
    const url = archiveUrl(root, ppa);
    setOperation(url, 'getPublishedSources', { ...filters, exact_match: true });
    return (await unlessMissing(readAll(url, SOURCE_PUBLICATION))) ?? [];
  }

  return {
    hasPpa: async (ppa) =>
      (await unlessMissing(read(archiveUrl(root, ppa), ARCHIVE))) !== undefined,
    getArchive: (ppa) => unlessMissing(read(archiveUrl(root, ppa), ARCHIVE)),
    getSeries: (distribution, name) =>
      unlessMissing(read(seriesUrl(root, distribution, name), SERIES)),
    async getLiveSources(ppa, series, source) {
      const all = await publishedSources(ppa, {
        source_name: source,
        distro_series: seriesUrl(root, ppa.distribution, series).href,
      });
      return all.filter(({ status }) => status === 'Pending' || status === 'Published');
    },
    getPublishedSources: (ppa, { source, version }) =>
      publishedSources(ppa, { source_name: source, version }),
    async getBuilds(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'getBuilds', {});
      return readAll(url, BUILD);
    },
    async getPublishedBinaries(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'getPublishedBinaries', { active_binaries_only: false });
      return readAll(url, BINARY_PUBLICATION);
    },
    async sourceFileUrls(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'sourceFileUrls', { include_meta: true });
      return read(url, SOURCE_FILES);
    },
    async binaryFileUrls(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'binaryFileUrls', { include_meta: true });
      return read(url, BINARY_FILES);
    },
    getBuild: (buildLink) => read(new URL(buildLink), BUILD),
    async cancel(buildLink) {
      await call('POST', new URL(buildLink), new URLSearchParams({ 'ws.op': 'cancel' }));
    },
    async retry(buildLink) {
      try {
        await call('POST', new URL(buildLink), new URLSearchParams({ 'ws.op': 'retry' }));
        return true;
      } catch (error) {
        if (error instanceof PpaAnswerError && error.status === 400) return false;
        throw error;
      }
    },
  };
}

/** Undefined where the PPA's web service knows no such thing, perhaps since a moment ago, or does not show it to our account. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PpaAnswerError && error.status === 404) return undefined;
    throw error;
  }
}

function seriesUrl(root: URL, distribution: string, series: string): URL {
  return new URL(`${distribution}/${series}`, root);
}

function archiveUrl(root: URL, ppa: Ppa): URL {
  const [owner, distribution, name] = ppaReference(ppa).split('/');
  return new URL(`${owner}/+archive/${distribution}/${name}`, root);
}

/** Parameters are JSON, and `ws.op` names the operation (lazr.restful). */
function setOperation(url: URL, operation: string, parameters: Record<string, unknown>): void {
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

async function boundedText(response: Response, url: URL): Promise<string> {
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
