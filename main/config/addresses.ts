import type { SourceUrlRule } from '../../domain/access/source-url.ts';
import { isLoopbackHost, urlHost } from '../../domain/access/url-host.ts';
import { ConfigError, type Config } from './config.ts';
import { rabbitmqPorts } from './rabbitmq-ports.ts';
import { addresses } from './sections/addresses.ts';
import { webRoot } from './web-root.ts';

const LAUNCHPAD_APT_URL = 'https://ppa.launchpadcontent.net';
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost'];
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'amqp:': 5672,
  'amqps:': 5671,
};

/**
 * An address that a process cannot do without.
 *
 * @throws ConfigError where it is not set: only `npm start` fills it in
 */
export function requiredAddress(config: Config, name: keyof Config['addresses']): string {
  const address = config.addresses[name];
  if (!address) {
    const { variable } = addresses.settings.addresses[name];
    throw new ConfigError(`${variable} is not set. Set it, or let \`npm start\` start that part.`);
  }
  return address;
}

/** Where apt finds what the PPAs publish; Launchpad's own address where no other is set. */
export function ppaAptUrl({ addresses: { aptUrl } }: Config): string {
  return aptUrl ?? LAUNCHPAD_APT_URL;
}

/** Splits `host:port`; an IPv6 host is in brackets. */
export function hostAndPort(address: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}

/**
 * Where others reach the API: the root of its URLs, as `webRoot` writes it.
 *
 * @throws ConfigError where nobody says so, and the address that it binds to is not that of one machine for itself:
 *   what is stored would keep an address that leads nowhere
 */
export function publicUrl({ server: { host, port, publicUrl: given } }: Config): string {
  if (given !== undefined) return given;
  if (!isLoopback(host))
    throw new ConfigError(
      `AIRLINE_PUBLIC_URL is not set. With AIRLINE_API_HOST=${host} it has to say where callers reach the API, such as https://airline.example.com.`,
    );
  return webRoot(`http://${urlHost(host)}:${port}`);
}

/** Whether an address to bind to, an IPv6 one without brackets, is open to this machine alone. */
export function isLoopback(host: string): boolean {
  return isLoopbackHost(urlHost(host));
}

/** Where others reach the data store. */
export function storeUrl(config: Config): string {
  return `${publicUrl(config)}/store`;
}

/** Where others reached it before. */
export function formerStoreUrls({ server }: Config): string[] {
  return server.formerUrls.map((url) => `${url}/store`);
}

/** Where others reach the data store, or reached it before. */
export function storeUrls(config: Config): string[] {
  return [storeUrl(config), ...formerStoreUrls(config)];
}

/** Which URLs are fetched on behalf of callers: those of the allowed hosts, but no part of the stack itself. */
export function sourceUrlRule(config: Config): SourceUrlRule {
  const { hosts, privateNetworks } = config.sourceUrls;
  return {
    hosts: hostsOf(config, hosts),
    refusedPorts: [
      config.server.port,
      ...Object.values(config.ports),
      ...Object.values(rabbitmqPorts(config.ports.amqp)),
      ...configuredPorts(config),
    ],
    storeUrl: storeUrl(config),
    formerStoreUrls: formerStoreUrls(config),
    privateNetworks,
  };
}

/** Which URLs webhooks may have: on hosts of their own, and never in the data store. */
export function webhookUrlRule(config: Config): SourceUrlRule {
  const hosts = hostsOf(config, config.webhookHosts);
  return { ...sourceUrlRule(config), hosts, storeUrl: '', formerStoreUrls: [] };
}

/** Where nobody says which hosts: this machine, unless callers may be elsewhere. They must not reach its services. */
function hostsOf({ api }: Config, given: readonly string[] | undefined): string[] {
  const hosts = given ?? (api.authentication === 'off' ? LOOPBACK_HOSTS : []);
  return hosts.map((host) => host.toLowerCase());
}

/** The ports of parts that the configuration names on this machine. */
function configuredPorts(config: Config): number[] {
  const { addresses: parts, probes } = config;
  return [...Object.values(parts), ...Object.values(probes)].flatMap((address) => {
    const text = address?.includes('://') ? address : `tcp://${address}`;
    if (address === undefined || !URL.canParse(text)) return [];
    const { protocol, hostname, port } = new URL(text);
    const defaultPort = DEFAULT_PORTS[protocol] ?? 0;
    return isLoopbackHost(hostname) ? [Number(port) || defaultPort] : [];
  });
}
