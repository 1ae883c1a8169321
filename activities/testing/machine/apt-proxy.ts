import type { UpstreamOf } from '../../../sandbox/fetch-proxy.ts';

/** apt asks no proxy for what is on this machine itself: a proxy elsewhere would look for it on its own. */
export const DIRECT_LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'].map(
  (host) => `Acquire::http::Proxy::${host} "DIRECT";`,
);

/**
 * Which proxy apt fetches a URL by (apt-transport-http(1), apt-transport-https(1)): that of its host before that of all
 * hosts, and that of https before that of http, which holds for both.
 *
 * @param options one a line, as `apt-config dump` prints them; of two for the same the last counts
 */
export function aptProxy(options: readonly string[]): UpstreamOf {
  const proxies = new Map<string, string>();
  for (const option of options) {
    const [, name, value] = OPTION.exec(option) ?? [];
    if (name !== undefined && value !== undefined) proxies.set(name.toLowerCase(), value);
  }
  return ({ protocol, hostname }) => {
    const schemes = protocol === 'https:' ? ['https', 'http'] : ['http'];
    const names = [`::${hostname}`, ''].flatMap((of) =>
      schemes.map((scheme) => `${scheme}::proxy${of}`),
    );
    const proxy = names.map((name) => proxies.get(name)).find((each) => each);
    return proxy?.startsWith('http:') ? proxy : undefined;
  };
}

const OPTION = /^Acquire::(https?::Proxy(?:::[^\s"]+)?) "([^"]*)"/i;
