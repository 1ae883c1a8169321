import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dialRule } from '../activities/sources/source-address.ts';
import { createApp } from '../api/app.ts';
import { OWN_QUEUES } from '../domain/builds/build-workflow.ts';
import { waitLimitsOf } from '../domain/builds/waiting.ts';
import { createTemporalWorkflows } from '../dispatch/temporal-workflows.ts';
import { startDispatcher } from '../dispatch/dispatcher.ts';
import { startRowSweep } from '../api/service/sweep-expired-rows.ts';
import { startFileSweep } from '../api/service/sweep-old-files.ts';
import { openDatabase } from '../models/database.ts';
import { createProgressFeed } from '../models/events/progress-feed.ts';
import { connectToBroker } from '../progress/broker-connection.ts';
import { startProgress } from '../progress/start-progress.ts';
import {
  isLoopback,
  publicUrl,
  requiredAddress,
  sourceUrlRule,
  storeUrls,
  webhookUrlRule,
} from './config/addresses.ts';
import { ConfigError, loadConfig, type Config } from './config/config.ts';
import { assertPoolIsNoTarget, readLandingPolicies } from './config/landing-policies.ts';
import { openStore } from './config/data-store.ts';
import { createLogger } from './config/logging.ts';
import { endWhileStarting, onStopSignal } from './config/stop-signals.ts';
import { startTracing } from './config/tracing.ts';
import { amqpCa, temporalTarget } from './config/temporal-target.ts';
import { VERSION } from './config/version.ts';

const DRAIN_POLL_MS = 50;
/** Time to end by itself once everything is closed. */
const END_MS = 1_000;

const startIsOver = endWhileStarting();
const config = loadConfig();
assertProtected(config);
const landingPolicies = readLandingPolicies(config.landingPolicyFile);
assertPoolIsNoTarget(landingPolicies, config.pool.ppas);
const logger = createLogger({ name: 'api', ...config.log, isGathering: true });
const tracing = await startTracing('api', logger);
const databaseUrl = requiredAddress(config, 'databaseUrl');
const broker = { amqpUrl: requiredAddress(config, 'amqpUrl'), amqpCa: amqpCa(config) };
const { namespace, rpcTimeoutMs, uploadCheckMs } = config.temporal;

/** A build polls by itself where the watch of its PPA has left out as many rounds. */
const UNWATCHED_ROUNDS = 3;
/** Rounds that come every second may be late by more than three. */
const MIN_UNWATCHED_MS = 30_000;
/**
 * A connection between two requests stays open for longer than a proxy keeps it (nginx 60 s, Caddy 2 minutes): a
 * request that comes as it closes is lost, and its caller gets a 502.
 */
const KEEP_ALIVE_MS = 150_000;
/** Of the address and the headers of a request: so that an `in` may have a thousand names. */
const MAX_HEAD_BYTES = 65_536;

const database = openDatabase(databaseUrl, config.database.poolSize, {
  ...config.tickets,
  storeUrls: storeUrls(config),
  waitLimits: waitLimitsOf(config.build, config.dispatcher.startMs),
});
const feed = createProgressFeed({
  databaseUrl,
  changesMs: config.api.limits.changesMs / 4,
  retryMs: config.dispatcher.intervalMs,
  logger,
});
const workflows = createTemporalWorkflows({
  ...temporalTarget(config),
  namespace,
  limits: { ...config.build, ...OWN_QUEUES },
  landingLimits: config.landing,
  cleaningLimits: { cleanMs: config.pool.cleanMs, pollMs: config.landing.pollMs },
  rpcTimeoutMs,
  uploadCheckMs,
});
const unwatchedMs = Math.max(UNWATCHED_ROUNDS * config.build.pollMaxMs, MIN_UNWATCHED_MS);
const dispatcher = startDispatcher({
  database,
  workflows,
  logger,
  pool: config.pool,
  unwatchedMs,
  ppaWatch: config.build.ppaWatch,
  ...config.dispatcher,
});
// A caller hears of its build though no worker runs. Workers do this, too, and share the work.
const progress = startProgress({
  database,
  publisher: {
    ...broker,
    ...config.publisher,
  },
  webhooks: { rule: webhookUrlRule(config), dialRule, ...config.webhookSender },
  repeater: { ...config.repeater, startMs: rpcTimeoutMs },
  logger,
});
const rowSweep = startRowSweep({ database, logger, ...config.rowSweep });
const store = await openStore(config, logger);
const fileSweep = startFileSweep({ database, store, logger, ...config.fileSweep });
const stopping = new AbortController();

const app = createApp({
  ...config.api,
  sessions: {
    ...config.api.sessions,
    isAlwaysSecure: publicUrl(config).startsWith('https:'),
  },
  version: VERSION,
  database,
  store,
  feed,
  wakeDispatch: () => {
    dispatcher.wake();
    progress.wake();
  },
  checkUpload: (check) => workflows.checkUpload(check),
  describeQueues: () => workflows.describeQueues(),
  describeWorkers: () => workflows.describeWorkers(),
  launchpadCallsPerSecond: config.launchpad.callsPerSecond,
  unwatchedMs,
  readHistory: (workflowId, runId) => workflows.readHistory(workflowId, runId),
  probes: {
    database: async () => {
      await database.sequelize.query('SELECT 1');
    },
    temporal: () => workflows.probe(),
    broker: async () => {
      const open = await connectToBroker(broker, config.api.limits.probeTimeoutMs, logger);
      await open.close();
    },
    // Whether there is such a file does not matter.
    store: async () => {
      (await store.get('probe'))?.stream.destroy();
    },
  },
  sourceUrls: sourceUrlRule(config),
  webhookUrls: webhookUrlRule(config),
  targets: config.targets,
  landingPolicies,
  workflowUrl: (workflowId) => {
    const { temporalUiUrl } = config.addresses;
    return temporalUiUrl
      ? `${temporalUiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${workflowId}`
      : null;
  },
  measureProcess: true,
  stopping: stopping.signal,
  logger,
});

const { host, port, requestMs, idleMs, leaveMs, drainMs } = config.server;
const handle = app.callback();
const server = createServer(
  {
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
  },
  (request, response) => {
    void handle(request, response);
  },
);
server.timeout = idleMs;
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    logger.fatal({ host, port }, 'the port of the API is taken; AIRLINE_API_PORT moves it');
  else logger.fatal({ err: error }, 'the API cannot listen');
  process.exitCode = 1;
  void closeParts();
});
server.listen(port, host, () => {
  const { address, port: ownPort } = server.address() as AddressInfo;
  logger.info({ address, port: ownPort }, 'the API listens');
});

startIsOver();
onStopSignal(stop);

/** Says that it leaves, stops accepting, lets requests in flight finish for a limited time, then closes everything. */
async function stop(signal: string): Promise<void> {
  logger.info({ signal }, 'stopping');
  // From here on /readyz says no; the listener stays for those who have not heard of it yet.
  stopping.abort();
  await sleep(leaveMs);
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection that a client keeps open turns idle only when its request in flight ends.
  const closing = setInterval(() => server.closeIdleConnections(), DRAIN_POLL_MS);
  const late = setTimeout(() => {
    logger.warn({ drainMs }, 'requests in flight are cut');
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearInterval(closing);
  clearTimeout(late);
  await closeParts();
  logger.info('stopped');
  // A request that was cut may still wait for a server of its own, such as that of the bucket.
  setTimeout(() => process.exit(), END_MS).unref();
}

async function closeParts(): Promise<void> {
  await dispatcher.stop();
  await progress.stop();
  await rowSweep.stop();
  await fileSweep.stop();
  await feed.close();
  await workflows.close();
  await database.close();
  await tracing?.stop();
}

/** @throws ConfigError where anybody on the network could write */
function assertProtected({ api, server: { host } }: Config): void {
  if (api.authentication === 'off' && !isLoopback(host))
    throw new ConfigError(
      `AIRLINE_AUTH=off is refused on ${host}: set AIRLINE_API_HOST to 127.0.0.1, or AIRLINE_AUTH to token.`,
    );
}
