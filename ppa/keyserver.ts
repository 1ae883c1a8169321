import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { armouredBlocks, packetsOf } from '../domain/packages/openpgp.ts';
import { boundedText, PpaAnswerError, PpaUnavailableError } from './web-service.ts';

const HTTP_NOT_FOUND = 404;

/** The keyserver of a PPA: Launchpad's own for Launchpad; the stand-in has one itself. */
export function keyserverOf(rootUrl: string): string {
  const isLaunchpad = /(?:^|\.)launchpad\.net$/.test(new URL(rootUrl).hostname);
  return isLaunchpad ? 'https://keyserver.ubuntu.com/' : rootUrl;
}

/** Where a keyserver is, and the time for one answer. */
export type Keyserver = { keyserverUrl: string; timeoutMs: number; logger: Logger };

/**
 * Asks a keyserver for the primary key of a key (HKP, `op=index` with `options=mr`). Where it does not say, the log has
 * why.
 *
 * @returns as `Accounts.findPrimaryKey`
 */
export async function askKeyserver(
  { keyserverUrl, timeoutMs, logger }: Keyserver,
  key: string,
): Promise<string | null | undefined> {
  const url = new URL('/pks/lookup', keyserverUrl);
  url.search = new URLSearchParams({ op: 'index', options: 'mr', search: `0x${key}` }).toString();
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'airline' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === HTTP_NOT_FOUND) return null;
    const text = await boundedText(response, url);
    const primaryKey = response.ok ? /^pub:([0-9A-F]{16,64}):/im.exec(text)?.[1] : undefined;
    if (primaryKey === undefined)
      throw new PpaAnswerError(response.status, `${url.href} answered ${response.status}, no key`);
    return primaryKey.toUpperCase();
  } catch (error) {
    logger.warn({ err: error, key }, 'the keyserver does not say whose subkey a key is');
    return undefined;
  }
}

const PUBLIC_KEY_PACKET = 6;

/**
 * Fetches a public key from a keyserver (HKP, `op=get`).
 *
 * @param fingerprint of a primary key, all of it
 * @returns the armoured key
 * @throws PpaUnavailableError where the keyserver does not give it, or gives another
 */
export async function fetchPublicKey(
  { keyserverUrl, timeoutMs }: Omit<Keyserver, 'logger'>,
  fingerprint: string,
): Promise<string> {
  const url = new URL('/pks/lookup', keyserverUrl);
  url.search = new URLSearchParams({
    op: 'get',
    options: 'mr',
    search: `0x${fingerprint}`,
  }).toString();
  let text: string;
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'airline' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = response.ok ? await boundedText(response, url) : '';
  } catch (cause) {
    throw new PpaUnavailableError(`${url.href} does not answer`, { cause });
  }
  const keys = armouredBlocks(text, 'PUBLIC KEY BLOCK').map(fingerprintOf);
  if (keys.length === 1 && keys[0] === fingerprint.toUpperCase()) return text;
  throw new PpaUnavailableError(`${url.href} does not give the key ${fingerprint}`);
}

/** The fingerprint of the primary key that a block begins with (RFC 9580, section 5.5.4.2: version 4). */
function fingerprintOf(block: Uint8Array): string | undefined {
  const [first] = packetsOf(block);
  if (first?.tag !== PUBLIC_KEY_PACKET) return undefined;
  const head = Buffer.from([0x99, first.body.length >> 8, first.body.length & 0xff]);
  return createHash('sha1').update(head).update(first.body).digest('hex').toUpperCase();
}
