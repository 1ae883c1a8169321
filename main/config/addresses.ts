import type { SourceUrlRule } from '../../domain/source-url.ts';
import { ConfigError, type Config } from './config.ts';
import { rabbitmqPorts } from '../embedded/rabbitmq.ts';

type Address = Extract<
  keyof Config,
  | 'AIRLINE_DATABASE_URL'
  | 'AIRLINE_AMQP_URL'
  | 'AIRLINE_TEMPORAL_ADDRESS'
  | 'AIRLINE_LAUNCHPAD_URL'
  | 'AIRLINE_UPLOAD_HOST'
>;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const USUAL_PORTS: Readonly<Record<string, number>> = {
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
export function requiredAddress(config: Config, name: Address): string {
  const address = config[name];
  if (!address)
    throw new ConfigError(`${name} is not set. Set it, or let \`npm start\` start that part.`);
  return address;
}

/** Splits `host:port`; an IPv6 host stands in brackets. */
export function hostAndPort(address: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}

/** Where others reach the API. */
export function publicUrl(config: Config): string {
  return (
    config.AIRLINE_PUBLIC_URL ?? `http://${config.AIRLINE_API_HOST}:${config.AIRLINE_API_PORT}`
  );
}

/** Where others reach the data store. */
export function storeUrl(config: Config): string {
  return `${publicUrl(config).replace(/\/$/, '')}/store`;
}

/** A comma-separated list. */
export function list(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Which URLs are fetched on behalf of callers: those of the allowed hosts, but no part of the stack itself. */
export function sourceUrlRule(config: Config): SourceUrlRule {
  return {
    hosts: list(config.AIRLINE_SOURCE_HOSTS).map((host) => host.toLowerCase()),
    refusedPorts: [
      config.AIRLINE_API_PORT,
      config.AIRLINE_DATABASE_PORT,
      ...rabbitmqPorts(config.AIRLINE_AMQP_PORT).map(({ port }) => port),
      config.AIRLINE_TEMPORAL_PORT,
      config.AIRLINE_TEMPORAL_UI_PORT,
      config.AIRLINE_STAND_IN_PORT,
      config.AIRLINE_STAND_IN_FTP_PORT,
      ...configuredPorts(config),
    ],
    storeUrl: storeUrl(config),
    privateNetworks: list(config.AIRLINE_SOURCE_PRIVATE ?? ''),
  };
}

/** The ports of parts that the configuration names on this machine. */
function configuredPorts(config: Config): number[] {
  return [
    config.AIRLINE_DATABASE_URL,
    config.AIRLINE_AMQP_URL,
    config.AIRLINE_TEMPORAL_ADDRESS,
    config.AIRLINE_TEMPORAL_UI_URL,
    config.AIRLINE_LAUNCHPAD_URL,
    config.AIRLINE_UPLOAD_HOST,
  ].flatMap((address) => {
    const text = address?.includes('://') ? address : `tcp://${address}`;
    if (address === undefined || !URL.canParse(text)) return [];
    const { protocol, hostname, port } = new URL(text);
    const usualPort = USUAL_PORTS[protocol] ?? 0;
    return LOOPBACK.test(hostname) ? [Number(port) || usualPort] : [];
  });
}
