import { join } from 'node:path';
import { urlHost } from '../../domain/access/url-host.ts';
import { ConfigError, loadConfig, type Config } from '../config/config.ts';
import { ports } from '../config/sections/ports.ts';
import type { Directories } from './directories.ts';
import type { PartName } from './part.ts';
import type { NeededPort } from './ports.ts';
import { databaseUrl } from './postgres.ts';
import { amqpUrl, neededRabbitmqPorts } from './rabbitmq.ts';
import { LOOPBACK } from './tcp.ts';

/** The local PPA has nothing to be spared: it is polled often. */
export const LOCAL_PPA_DEFAULTS = {
  AIRLINE_POLL_INITIAL_MS: '1000',
  AIRLINE_POLL_MAX_MS: '3000',
  AIRLINE_LAUNCHPAD_CALLS_PER_SECOND: '1000',
  AIRLINE_PROGRESS_INTERVAL_MS: '15000',
  AIRLINE_LANDING_POLL_MS: '1000',
} as const;

/**
 * The configuration for the embedded stack: as for any process, but with shorter intervals where the
 * PPA is the local stand-in.
 *
 * @throws ConfigError as loadConfig does, and where only one of the PPA's two addresses is set
 */
export function loadEmbeddedConfig(environment?: NodeJS.ProcessEnv): Config {
  const config = loadConfig(environment);
  const { launchpadUrl, uploadHost } = config.addresses;
  if (!launchpadUrl !== !uploadHost)
    throw new ConfigError(
      'AIRLINE_LAUNCHPAD_URL and AIRLINE_UPLOAD_HOST belong together: set both for a Launchpad elsewhere, or neither for the local stand-in.',
    );
  return launchpadUrl === undefined ? loadConfig(environment, LOCAL_PPA_DEFAULTS) : config;
}

/** The embedded stack's parts that an address in the configuration replaces. */
export function replacedParts({ addresses }: Config): PartName[] {
  const replaced: PartName[] = [];
  if (addresses.databaseUrl) replaced.push('postgresql');
  if (addresses.amqpUrl) replaced.push('epmd', 'rabbitmq');
  if (addresses.temporalAddress) replaced.push('temporal-cli', 'temporal');
  if (addresses.launchpadUrl) replaced.push('stand-in');
  return replaced;
}

/** Every address of the stack, for people and for tests. */
export type Addresses = {
  api: string;
  databaseUrl: string;
  amqpUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  launchpadUrl: string;
  uploadHost: string;
  /** Only of the stand-in. */
  aptRepository: string | undefined;
};

/**
 * The environment of every process of ours: what the configuration says, with the addresses of the
 * embedded parts where it names no others.
 *
 * @param embedded what only the embedded stack knows
 */
export function composeEnvironment(
  config: Config,
  embedded: {
    directories: Directories;
    databasePassword: string;
    credentialsFile: string;
    buildUser: string | undefined;
    projectDir: string;
  },
): { environment: Record<string, string>; addresses: Addresses } {
  const { directories } = embedded;
  const { addresses: given, ports } = config;
  const isLocalPpa = !replacedParts(config).includes('stand-in');
  const addresses: Addresses = {
    api: apiUrl(config),
    databaseUrl: given.databaseUrl ?? databaseUrl(ports.database, embedded.databasePassword),
    amqpUrl: given.amqpUrl ?? amqpUrl(ports.amqp),
    temporalAddress: given.temporalAddress ?? `${LOOPBACK}:${ports.temporal}`,
    temporalUiUrl:
      given.temporalUiUrl ??
      (given.temporalAddress ? undefined : `http://${LOOPBACK}:${ports.temporalUi}`),
    launchpadUrl: isLocalPpa ? `http://${LOOPBACK}:${ports.standIn}` : (given.launchpadUrl ?? ''),
    uploadHost: isLocalPpa ? `${LOOPBACK}:${ports.standInFtp}` : (given.uploadHost ?? ''),
    aptRepository: isLocalPpa ? `http://${LOOPBACK}:${ports.standIn}` : undefined,
  };
  const composed: Record<string, string | undefined> = {
    ...config.variables,
    AIRLINE_STATE_DIR: directories.state,
    AIRLINE_CACHE_DIR: directories.cache,
    AIRLINE_DATABASE_URL: addresses.databaseUrl,
    AIRLINE_AMQP_URL: addresses.amqpUrl,
    AIRLINE_TEMPORAL_ADDRESS: addresses.temporalAddress,
    AIRLINE_TEMPORAL_UI_URL: addresses.temporalUiUrl,
    AIRLINE_LAUNCHPAD_URL: addresses.launchpadUrl,
    AIRLINE_UPLOAD_HOST: addresses.uploadHost,
    AIRLINE_APT_URL: given.aptUrl ?? (isLocalPpa ? `${addresses.launchpadUrl}/apt` : undefined),
    AIRLINE_TEST_USER: config.tester.user ?? (embedded.buildUser && 'airline-test'),
    AIRLINE_WORKFLOW_BUNDLE: join(embedded.projectDir, config.workflowBundle),
    ...(isLocalPpa
      ? {
          AIRLINE_LAUNCHPAD_CREDENTIALS:
            config.launchpad.credentialsFile ?? embedded.credentialsFile,
          AIRLINE_STAND_IN_BUILD_USER: config.standIn.buildUser ?? embedded.buildUser,
        }
      : {}),
  };
  return {
    environment: Object.fromEntries(
      Object.entries(composed).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    addresses,
  };
}

/** The API's address on this machine, whatever it binds to. */
function apiUrl({ server: { host, port } }: Config): string {
  if (host === '0.0.0.0') return `http://${LOOPBACK}:${port}`;
  return `http://${urlHost(host === '::' ? '::1' : host)}:${port}`;
}

/** The ports that the given parts are going to listen on. */
export function neededPorts(config: Config, parts: readonly PartName[]): NeededPort[] {
  const one = (part: string, name: keyof Config['ports']): NeededPort => ({
    part,
    port: config.ports[name],
    host: LOOPBACK,
    variable: ports.settings.ports[name].variable,
  });
  const { host, port } = config.server;
  const needed: Partial<Record<PartName, NeededPort[]>> = {
    postgresql: [one('PostgreSQL', 'database')],
    rabbitmq: neededRabbitmqPorts(config.ports.amqp),
    temporal: [
      one('Temporal', 'temporal'),
      one("Temporal's Web UI", 'temporalUi'),
      one("Temporal's HTTP API", 'temporalHttp'),
      one("Temporal's metrics", 'temporalMetrics'),
    ],
    'stand-in': [one('the Launchpad stand-in', 'standIn'), one("the stand-in's FTP", 'standInFtp')],
    api: [{ part: 'the API', port, host, variable: 'AIRLINE_API_PORT' }],
  };
  return parts.flatMap((part) => needed[part] ?? []);
}
