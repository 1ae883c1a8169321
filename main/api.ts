import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../api/app.ts';
import { createBuildWorkflows } from '../dispatch/build-workflows.ts';
import { startDispatcher } from '../dispatch/dispatch-builds.ts';
import { startKeySweep } from '../api/http/sweep-idempotency-keys.ts';
import { openDatabase } from '../models/database.ts';
import { createProgressFeed } from '../models/progress-feed.ts';
import { connectToBroker } from '../progress/broker-connection.ts';
import { createFileStore } from '../store/file.ts';
import { publicUrl, requiredAddress, sourceUrlRule, storeUrl } from './config/addresses.ts';
import { buildLimits } from './config/build-limits.ts';
import { ConfigError, loadConfig, type Config } from './config/config.ts';
import { createLogger } from './config/logging.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const DRAIN_LOOK_MS = 50;

const config = loadConfig();
refuseUnprotected(config);
const logger = createLogger({
  name: 'api',
  level: config.AIRLINE_LOG_LEVEL,
  format: config.AIRLINE_LOG_FORMAT,
  isGathering: true,
});
const databaseUrl = requiredAddress(config, 'AIRLINE_DATABASE_URL');
const amqpUrl = requiredAddress(config, 'AIRLINE_AMQP_URL');
const namespace = config.AIRLINE_TEMPORAL_NAMESPACE;

const database = openDatabase(databaseUrl, config.AIRLINE_DATABASE_POOL);
const feed = createProgressFeed({
  databaseUrl,
  retryMs: config.AIRLINE_DISPATCH_INTERVAL_MS,
  logger,
});
const workflows = createBuildWorkflows({
  address: requiredAddress(config, 'AIRLINE_TEMPORAL_ADDRESS'),
  namespace,
  limits: buildLimits(config),
  rpcTimeoutMs: config.AIRLINE_TEMPORAL_TIMEOUT_MS,
});
const dispatcher = startDispatcher({
  database,
  workflows,
  logger,
  intervalMs: config.AIRLINE_DISPATCH_INTERVAL_MS,
  maxBackoffMs: config.AIRLINE_DISPATCH_BACKOFF_MS,
  sweepIntervalMs: config.AIRLINE_SWEEP_INTERVAL_MS,
  startMs: config.AIRLINE_START_MS,
  silenceMs: config.AIRLINE_SILENCE_MS,
});
const keySweep = startKeySweep({
  database,
  intervalMs: config.AIRLINE_IDEMPOTENCY_SWEEP_INTERVAL_MS,
  logger,
});
const stopping = new AbortController();

const app = createApp({
  version,
  database,
  store: createFileStore({
    directory: join(config.AIRLINE_STATE_DIR, 'store'),
    baseUrl: storeUrl(config),
  }),
  feed,
  onBuildChange: () => dispatcher.wake(),
  describeQueues: () => workflows.describeQueues(),
  readHistory: (workflowId, runId) => workflows.readHistory(workflowId, runId),
  probes: {
    database: async () => {
      await database.sequelize.query('SELECT 1');
    },
    temporal: () => workflows.probe(),
    broker: async () => {
      const broker = await connectToBroker(amqpUrl, config.AIRLINE_PROBE_TIMEOUT_MS, logger);
      await broker.close();
    },
  },
  sourceUrls: sourceUrlRule(config),
  workflowUrl: (workflowId) =>
    config.AIRLINE_TEMPORAL_UI_URL
      ? `${config.AIRLINE_TEMPORAL_UI_URL.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${workflowId}`
      : null,
  limits: {
    bodyMaxBytes: config.AIRLINE_BODY_MAX_BYTES,
    importMaxBytes: config.AIRLINE_IMPORT_MAX_BYTES,
    storeMaxBytes: config.AIRLINE_STORE_MAX_BYTES,
    buildAttempts: config.AIRLINE_BUILD_ATTEMPTS,
    probeTimeoutMs: config.AIRLINE_PROBE_TIMEOUT_MS,
    retryAfterS: Math.ceil(config.AIRLINE_RETRY_AFTER_MS / 1_000),
    streams: {
      heartbeatMs: config.AIRLINE_EVENT_HEARTBEAT_MS,
      pollMs: config.AIRLINE_EVENT_POLL_MS,
      max: config.AIRLINE_EVENT_STREAMS,
    },
    changesMs: config.AIRLINE_CHANGES_INTERVAL_MS,
    tokenLifetimes: {
      usualMs: config.AIRLINE_TOKEN_LIFETIME_MS,
      longestMs: config.AIRLINE_TOKEN_LONGEST_LIFETIME_MS,
    },
    authenticationFailures: {
      max: config.AIRLINE_AUTH_FAILURES,
      windowMs: config.AIRLINE_AUTH_FAILURES_WINDOW_MS,
    },
    rate: { requests: config.AIRLINE_RATE_LIMIT, windowMs: config.AIRLINE_RATE_WINDOW_MS },
    idempotency: {
      lifetimeMs: config.AIRLINE_IDEMPOTENCY_LIFETIME_MS,
      inFlightMs: config.AIRLINE_IDEMPOTENCY_IN_FLIGHT_MS,
    },
  },
  authentication: config.AIRLINE_AUTH,
  sessions: {
    idleMs: config.AIRLINE_SESSION_IDLE_MS,
    isAlwaysSecure: publicUrl(config).startsWith('https:'),
  },
  webDirectory: resolve(fileURLToPath(new URL('..', import.meta.url)), config.AIRLINE_WEB_DIR),
  trustedProxies: config.AIRLINE_TRUSTED_PROXIES,
  corsOrigins: (config.AIRLINE_CORS_ORIGINS ?? '').split(',').filter((origin) => origin !== ''),
  measureProcess: true,
  stopping: stopping.signal,
  logger,
});

const handle = app.callback();
const server = createServer({ requestTimeout: config.AIRLINE_REQUEST_MS }, (request, response) => {
  void handle(request, response);
});
server.timeout = config.AIRLINE_CONNECTION_IDLE_MS;
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    logger.fatal(
      { host: config.AIRLINE_API_HOST, port: config.AIRLINE_API_PORT },
      'the port of the API is taken; AIRLINE_API_PORT moves it',
    );
  else logger.fatal({ err: error }, 'the API cannot listen');
  process.exitCode = 1;
  void closeParts();
});
server.listen(config.AIRLINE_API_PORT, config.AIRLINE_API_HOST, () => {
  const { address, port } = server.address() as AddressInfo;
  logger.info({ address, port }, 'the API listens');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));

/** Stops accepting, lets requests in flight finish for a limited time, then closes everything. */
async function stop(signal: string): Promise<void> {
  logger.info({ signal }, 'stopping');
  const closed = new Promise((resolve) => server.close(resolve));
  stopping.abort();
  // A connection that a client keeps open turns idle only when its request in flight ends.
  const look = setInterval(() => server.closeIdleConnections(), DRAIN_LOOK_MS);
  const late = setTimeout(() => {
    logger.warn({ drainMs: config.AIRLINE_DRAIN_MS }, 'requests in flight are cut');
    server.closeAllConnections();
  }, config.AIRLINE_DRAIN_MS);
  await closed;
  clearInterval(look);
  clearTimeout(late);
  await closeParts();
  logger.info('stopped');
}

async function closeParts(): Promise<void> {
  await dispatcher.stop();
  await keySweep.stop();
  await feed.close();
  await workflows.close();
  await database.close();
}

/** @throws ConfigError where anybody on the network could write */
function refuseUnprotected({ AIRLINE_AUTH: auth, AIRLINE_API_HOST: host }: Config): void {
  if (auth === 'off' && !LOOPBACK.test(host))
    throw new ConfigError(
      `AIRLINE_AUTH=off is refused on ${host}: set AIRLINE_API_HOST to 127.0.0.1, or AIRLINE_AUTH to token.`,
    );
}
