import type { IncomingMessage } from 'node:http';
import { openUrl } from './open-url.ts';

const MAX_REDIRECTS = 3;
/** Where Launchpad's site sends who has to sign in first (`UnauthorizedView` in lib/lp/services/webapp/login.py). */
const SIGN_IN = '/+login';

/** The PPA shows a file only to people who are signed in on its site, which takes none of our credentials. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError';
}

/**
 * Opens a file of the PPA, such as a log, following its redirects on its own hosts only.
 *
 * @param own addresses on the PPA's own hosts: the web service and the web site
 * @param hosts further hosts, each with its sub-domains
 * @returns undefined where the file is not there (404 or 410)
 * @throws NotPublicError where one has to sign in first; Error where it cannot be fetched now, or is not on a host of
 * the PPA
 */
export async function openPpaFile(
  url: string,
  own: readonly string[],
  hosts: readonly string[],
  limits: { signal: AbortSignal; idleTimeoutMs: number },
): Promise<IncomingMessage | undefined> {
  let address = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isPpaHost(address, own, hosts))
      throw new Error(`${address.href} is on no host of the PPA`);
    const response = await openUrl(address.href, limits);
    const status = response.statusCode ?? 0;
    if (status === 200) return response;
    response.destroy();
    if (status === 404 || status === 410) return undefined;
    const { location } = response.headers;
    if (status < 300 || status >= 400 || location === undefined)
      throw new Error(`${address.href} answered ${status}`);
    address = new URL(location, address);
    // There it answers 200 with a page.
    if (address.pathname.endsWith(SIGN_IN))
      throw new NotPublicError(`${url} is shown only to people who are signed in there`);
  }
  throw new Error(`${url} is redirected more than ${MAX_REDIRECTS} times`);
}

function isPpaHost(address: URL, own: readonly string[], hosts: readonly string[]): boolean {
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return false;
  if (own.some((link) => new URL(link).host === address.host)) return true;
  return hosts.some((host) => address.hostname === host || address.hostname.endsWith(`.${host}`));
}
