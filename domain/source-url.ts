/** Which URLs Airline fetches on behalf of callers: sources and cancel URLs. */
export type SourceUrlRule = {
  /** `host`, which stands for each of its ports, or `host:port`. */
  hosts: readonly string[];
  /** Ports of the stack's own parts: refused on loopback unless `hosts` names them with their port. */
  refusedPorts: readonly number[];
  /** Address of the data store, allowed in any case. */
  storeUrl: string;
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Says why a URL is not to be fetched, or undefined where it may be. The rule holds for the address as it is
 * written; whoever fetches must not follow a redirect.
 */
export function sourceUrlProblem(text: string, rule: SourceUrlRule): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is no URL';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'it is not http or https';
  if (url.username !== '' || url.password !== '') return 'it carries a user name or a password';
  if (url.href.startsWith(`${rule.storeUrl.replace(/\/$/, '')}/`)) return undefined;
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  if (rule.hosts.includes(`${url.hostname}:${port}`)) return undefined;
  if (!rule.hosts.includes(url.hostname)) return `its host ${url.host} is not on the allow-list`;
  if (LOOPBACK.test(url.hostname) && rule.refusedPorts.includes(port))
    return `port ${port} belongs to Airline itself`;
  return undefined;
}
