import { AirlineError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { isLoopbackHost } from './url-host.ts';

/** Which URLs Airline calls on behalf of callers: sources, cancel URLs, and webhooks by a rule of their own. */
export type SourceUrlRule = {
  /** `host`, for all its ports, or `host:port`. */
  hosts: readonly string[];
  /** Ports of the stack's own parts: refused on this machine unless `hosts` names them with their port. */
  refusedPorts: readonly number[];
  /** Address of the data store, allowed in any case; empty where it is not. */
  storeUrl: string;
  /** Addresses that the data store had before. What they name is taken from the store, never fetched. */
  formerStoreUrls?: readonly string[];
  /** Networks, as `address/bits`, that names in `hosts` may lead to although they are not public; none by default. */
  privateNetworks?: readonly string[];
};

const MAX_SHOWN = 200;

/**
 * Says why a URL is not to be fetched, or undefined where it may be. The rule holds for the address as it is
 * written. Code that fetches must not follow redirects, and must judge the address that the name leads to.
 */
export function sourceUrlProblem(
  text: string,
  rule: SourceUrlRule,
): { code: 'credentials_in_url' | 'host_not_allowed'; why: string } | undefined {
  const refused = (why: string) => ({ code: 'host_not_allowed' as const, why });
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refused('it is not a URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused('it is not http or https');
  if (url.username !== '' || url.password !== '')
    return { code: 'credentials_in_url', why: 'it carries a user name or a password' };
  if (isOfStore(url, rule) || isOfFormerStore(url, rule)) return undefined;
  const port = portOf(url);
  if (rule.hosts.includes(`${url.hostname}:${port}`)) return undefined;
  if (!rule.hosts.includes(url.hostname))
    return refused(`its host ${url.host} is not on the allow-list`);
  if (isLoopbackHost(url.hostname) && rule.refusedPorts.includes(port))
    return refused(`port ${port} belongs to Airline itself`);
  return undefined;
}

/**
 * Refuses a URL that is not to be fetched, as sourceUrlProblem.
 *
 * @throws AirlineError `credentials_in_url` or `host_not_allowed`
 */
export function assertUrlAllowed(text: string, rule: SourceUrlRule): void {
  const problem = sourceUrlProblem(text, rule);
  if (problem) throw new AirlineError(problem.code, `${shownUrl(text)}: ${problem.why}`);
}

/** Whether a URL is in the data store, which is fetched from whatever its address leads to. */
export function isOfStore(url: URL, { storeUrl }: SourceUrlRule): boolean {
  return url.href.startsWith(`${storeUrl.replace(/\/$/, '')}/`);
}

/** Whether a URL names a file by an address that the data store had before, which may be somebody else's now. */
export function isOfFormerStore({ href }: URL, { formerStoreUrls = [] }: SourceUrlRule): boolean {
  return formerStoreUrls.some((former) => href.startsWith(`${former}/`));
}

/**
 * All the addresses by which rows may name a file: of one in the data store, those that it has had and has now.
 *
 * @param storeUrls the addresses of the data store, present and former ones
 */
export function addressesOf(url: string, storeUrls: readonly string[]): string[] {
  const roots = storeUrls.map((root) => `${root}/`);
  const own = roots.find((root) => url.startsWith(root));
  return own === undefined ? [url] : roots.map((root) => root + url.slice(own.length));
}

/** The port that a URL leads to. */
export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

/**
 * A URL for logs and messages: without user, password, query and fragment, which may be secret, cut after 200
 * characters, and safe to print.
 */
export function shownUrl(text: string): string {
  if (!URL.canParse(text))
    return printable(text.replace(/\/\/[^/]*@/, '//***@').slice(0, MAX_SHOWN));
  const url = new URL(text);
  const query = url.search === '' ? '' : '?…';
  url.username = url.password = url.search = url.hash = '';
  const { href } = url;
  return printable(href.length > MAX_SHOWN ? `${href.slice(0, MAX_SHOWN)}…` : href + query);
}
