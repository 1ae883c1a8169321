import type { IncomingMessage } from 'node:http';
import type { BuildRecord } from '../../domain/build-state.ts';
import { openUrl } from '../sources/open-url.ts';

const MAX_REDIRECTS = 3;

/**
 * Opens a log of the PPA, following its redirects on its own hosts only.
 *
 * @param record its addresses name the PPA's own hosts: the web service and the web site
 * @param hosts further hosts, each with its sub-domains
 * @returns undefined where the log is not there (404 or 410)
 * @throws Error where it cannot be fetched now, or is not on a host of the PPA
 */
export async function openLog(
  url: string,
  record: BuildRecord,
  hosts: readonly string[],
  limits: { signal: AbortSignal; idleTimeoutMs: number },
): Promise<IncomingMessage | undefined> {
  let address = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isPpaHost(address, record, hosts))
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
  }
  throw new Error(`${url} is redirected more than ${MAX_REDIRECTS} times`);
}

function isPpaHost(address: URL, record: BuildRecord, hosts: readonly string[]): boolean {
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return false;
  if ([record.selfLink, record.webLink].some((link) => new URL(link).host === address.host))
    return true;
  return hosts.some((host) => address.hostname === host || address.hostname.endsWith(`.${host}`));
}
