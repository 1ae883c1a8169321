import { join } from 'node:path';
import { ConfigError, loadConfig, type Config } from '../config/config.ts';
import type { Directories } from './directories.ts';
import type { PartName } from './part.ts';
import type { NeededPort } from './ports.ts';
import { databaseUrl } from './postgres.ts';
import { amqpUrl, rabbitmqPorts } from './rabbitmq.ts';

const LOOPBACK = '127.0.0.1';

/** The local PPA has nothing to be spared: it is looked at often. */
const LOCAL_PPA_DEFAULTS = {
  AIRLINE_POLL_INITIAL_MS: '1000',
  AIRLINE_POLL_MAX_MS: '3000',
  AIRLINE_PROGRESS_INTERVAL_MS: '15000',
} as const;

/**
 * The configuration for the embedded stack: as for any process, but with shorter intervals where the
 * PPA is the local stand-in.
 *
 * @throws ConfigError as loadConfig does, and where only one of the PPA's two addresses is set
 */
export function loadEmbeddedConfig(environment?: NodeJS.ProcessEnv): Config {
  const config = loadConfig(environment);
  if (!config.AIRLINE_LAUNCHPAD_URL !== !config.AIRLINE_UPLOAD_HOST)
    throw new ConfigError(
      'AIRLINE_LAUNCHPAD_URL and AIRLINE_UPLOAD_HOST belong together: set both for a Launchpad elsewhere, or neither for the local stand-in.',
    );
  return config.AIRLINE_LAUNCHPAD_URL === undefined
    ? loadConfig(environment, LOCAL_PPA_DEFAULTS)
    : config;
}

/** The embedded stack's parts that an address in the configuration replaces. */
export function replacedParts(config: Config): PartName[] {
  const replaced: PartName[] = [];
  if (config.AIRLINE_DATABASE_URL) replaced.push('postgresql');
  if (config.AIRLINE_AMQP_URL) replaced.push('epmd', 'rabbitmq');
  if (config.AIRLINE_TEMPORAL_ADDRESS) replaced.push('temporal-cli', 'temporal');
  if (config.AIRLINE_LAUNCHPAD_URL) replaced.push('stand-in');
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
  const isLocalPpa = !replacedParts(config).includes('stand-in');
  const composed: Config = {
    ...config,
    AIRLINE_STATE_DIR: directories.state,
    AIRLINE_CACHE_DIR: directories.cache,
    AIRLINE_DATABASE_URL:
      config.AIRLINE_DATABASE_URL ??
      databaseUrl(config.AIRLINE_DATABASE_PORT, embedded.databasePassword),
    AIRLINE_AMQP_URL: config.AIRLINE_AMQP_URL ?? amqpUrl(config.AIRLINE_AMQP_PORT),
    AIRLINE_TEMPORAL_ADDRESS:
      config.AIRLINE_TEMPORAL_ADDRESS ?? `${LOOPBACK}:${config.AIRLINE_TEMPORAL_PORT}`,
    AIRLINE_TEMPORAL_UI_URL:
      config.AIRLINE_TEMPORAL_UI_URL ??
      (config.AIRLINE_TEMPORAL_ADDRESS
        ? undefined
        : `http://${LOOPBACK}:${config.AIRLINE_TEMPORAL_UI_PORT}`),
    AIRLINE_WORKFLOW_BUNDLE: join(embedded.projectDir, config.AIRLINE_WORKFLOW_BUNDLE),
    ...(isLocalPpa
      ? {
          AIRLINE_LAUNCHPAD_URL: `http://${LOOPBACK}:${config.AIRLINE_STAND_IN_PORT}`,
          AIRLINE_LAUNCHPAD_CREDENTIALS:
            config.AIRLINE_LAUNCHPAD_CREDENTIALS ?? embedded.credentialsFile,
          AIRLINE_UPLOAD_HOST: `${LOOPBACK}:${config.AIRLINE_STAND_IN_FTP_PORT}`,
          AIRLINE_STAND_IN_BUILD_USER: config.AIRLINE_STAND_IN_BUILD_USER ?? embedded.buildUser,
        }
      : {}),
  };
  return {
    environment: Object.fromEntries(
      Object.entries(composed)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    ),
    addresses: {
      api: apiUrl(config),
      databaseUrl: composed.AIRLINE_DATABASE_URL ?? '',
      amqpUrl: composed.AIRLINE_AMQP_URL ?? '',
      temporalAddress: composed.AIRLINE_TEMPORAL_ADDRESS ?? '',
      temporalUiUrl: composed.AIRLINE_TEMPORAL_UI_URL,
      launchpadUrl: composed.AIRLINE_LAUNCHPAD_URL ?? '',
      uploadHost: composed.AIRLINE_UPLOAD_HOST ?? '',
      aptRepository: isLocalPpa ? composed.AIRLINE_LAUNCHPAD_URL : undefined,
    },
  };
}

/** The API's address on this machine, whatever it binds to. */
function apiUrl({ AIRLINE_API_HOST: host, AIRLINE_API_PORT: port }: Config): string {
  if (host === '0.0.0.0') return `http://${LOOPBACK}:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The ports that the given parts are going to listen on. */
export function neededPorts(config: Config, parts: readonly PartName[]): NeededPort[] {
  const one = (
    part: string,
    variable: keyof Config & `${string}_PORT`,
    host = LOOPBACK,
  ): NeededPort[] => [{ part, port: config[variable], host, variable }];
  const ports: Partial<Record<PartName, NeededPort[]>> = {
    postgresql: one('PostgreSQL', 'AIRLINE_DATABASE_PORT'),
    rabbitmq: rabbitmqPorts(config.AIRLINE_AMQP_PORT),
    temporal: [
      ...one('Temporal', 'AIRLINE_TEMPORAL_PORT'),
      ...one("Temporal's Web UI", 'AIRLINE_TEMPORAL_UI_PORT'),
    ],
    'stand-in': [
      ...one('the Launchpad stand-in', 'AIRLINE_STAND_IN_PORT'),
      ...one("the stand-in's FTP", 'AIRLINE_STAND_IN_FTP_PORT'),
    ],
    api: one('the API', 'AIRLINE_API_PORT', config.AIRLINE_API_HOST),
  };
  return parts.flatMap((part) => ports[part] ?? []);
}
