import { AirlineError } from '../../domain/errors.ts';
import { assertUrlAllowed, shownUrl } from '../../domain/access/source-url.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { openUrl } from './open-url.ts';
import { dialRule } from './source-address.ts';

const TRANSIENT = new Set([408, 425, 429]);

/** A file that is open, or opens with its first chunk. */
export type OpenedSource = {
  /** Each is to be used up before the next but one is asked for. */
  chunks: AsyncIterable<Buffer>;
  /** Of a file in our own data store, as in `SourceFile`. */
  storeVersion?: string;
};

/** Where source packages come from. */
export type SourceOrigin = Pick<ActivityDependencies, 'sources' | 'store'>;

/**
 * Opens a file of a source package. A file of our own data store is taken from there alone, as the URL is only the name
 * that others reach it by: that spares a copy of every byte through the API, and goes on while the API restarts.
 *
 * @throws AirlineError `credentials_in_url`, `host_not_allowed`, `address_not_allowed`, `source_too_large`, or
 * `source_not_fetched` where the answer is final; a plain Error where a later try may help
 */
export async function openSource(
  url: string,
  { sources, store }: SourceOrigin,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const { rule, maxBytes, idleTimeoutMs, resolve } = sources;
  assertUrlAllowed(url, rule);
  const key = store.keyOf(url);
  if (key !== undefined) {
    const stored = await store.read(key);
    // The API could say no more of it, and may ask for a token before it says anything.
    if (!stored)
      throw new AirlineError(
        'source_not_fetched',
        `${shownUrl(url)}: the data store has no such file`,
      );
    if (stored.sizeBytes > maxBytes) throw tooLarge(url, maxBytes);
    return { chunks: untilAborted(stored.chunks, signal), storeVersion: stored.version };
  }
  const { lookup, refusal } = dialRule(new URL(url), rule, resolve);
  if (refusal) throw refusal;
  const response = await openUrl(url, { signal, idleTimeoutMs, lookup });
  const status = response.statusCode ?? 0;
  if (status === 200) {
    const length = Number(response.headers['content-length'] ?? 0);
    if (length <= maxBytes) return { chunks: response };
    response.destroy();
    throw tooLarge(url, maxBytes);
  }
  response.destroy();
  if (status >= 500 || TRANSIENT.has(status))
    throw new Error(`${shownUrl(url)} answered ${status}`);
  const where = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  throw new AirlineError('source_not_fetched', `${shownUrl(url)} answered ${status}${where}`);
}

async function* untilAborted(chunks: AsyncIterable<Buffer>, signal: AbortSignal) {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** The error of a file that is larger than the limit. */
export function tooLarge(url: string, maxBytes: number): AirlineError {
  return new AirlineError('source_too_large', `${shownUrl(url)} is larger than ${maxBytes} bytes`);
}
