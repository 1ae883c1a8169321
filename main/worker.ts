import { asyncLocalStorage } from '@temporalio/activity';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { BUILD_TASK_QUEUE } from '../domain/build-workflow.ts';
import { openDatabase } from '../models/database.ts';
import { createPpaClient } from '../ppa/client.ts';
import { parseCredentials } from '../ppa/credentials.ts';
import { startProgressPublisher } from '../progress/publish-progress.ts';
import { createFileStore } from '../store/file.ts';
import { hostAndPort, list, requiredAddress, sourceUrlRule, storeUrl } from './config/addresses.ts';
import { ConfigError, loadConfig } from './config/config.ts';
import { createLogger } from './config/logging.ts';
import { connectToTemporal, registerSearchAttributes } from './config/temporal-connection.ts';
import { temporalLogger } from './config/temporal-logger.ts';

const CONNECT_WITHIN_MS = 300_000;
const CANCELLED_WITHIN_MS = 5_000;

const config = loadConfig();
const logger = createLogger({
  name: 'worker',
  level: config.AIRLINE_LOG_LEVEL,
  format: config.AIRLINE_LOG_FORMAT,
  context: () => {
    const info = asyncLocalStorage.getStore()?.info;
    return info
      ? { workflowId: info.workflowExecution?.workflowId, activity: info.activityType }
      : {};
  },
});
const bundle = resolve(config.AIRLINE_WORKFLOW_BUNDLE);
if (!existsSync(bundle))
  throw new ConfigError(`There is no workflow bundle at ${bundle}: run \`npm run build\` first.`);

Runtime.install({
  logger: temporalLogger(logger),
  // Signals are ours: the stop has an order.
  shutdownSignals: [],
  telemetryOptions: {
    logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
  },
});

const database = openDatabase(
  requiredAddress(config, 'AIRLINE_DATABASE_URL'),
  config.AIRLINE_DATABASE_POOL,
);
const publisher = startProgressPublisher({
  database,
  amqpUrl: requiredAddress(config, 'AIRLINE_AMQP_URL'),
  intervalMs: config.AIRLINE_PUBLISH_INTERVAL_MS,
  logger,
});
const connection = await connectToTemporal(
  requiredAddress(config, 'AIRLINE_TEMPORAL_ADDRESS'),
  CONNECT_WITHIN_MS,
  logger,
);
await registerSearchAttributes(connection, config.AIRLINE_TEMPORAL_NAMESPACE);
const credentialsFile = config.AIRLINE_LAUNCHPAD_CREDENTIALS;

const worker = await Worker.create({
  connection,
  namespace: config.AIRLINE_TEMPORAL_NAMESPACE,
  taskQueue: BUILD_TASK_QUEUE,
  workflowBundle: { codePath: bundle },
  activities: createActivities({
    ppaClient: createPpaClient({
      rootUrl: requiredAddress(config, 'AIRLINE_LAUNCHPAD_URL'),
      credentials: credentialsFile
        ? parseCredentials(await readFile(credentialsFile, 'utf8'))
        : undefined,
      timeoutMs: config.AIRLINE_LAUNCHPAD_TIMEOUT_MS,
      logger,
    }),
    uploadServer: {
      ...hostAndPort(requiredAddress(config, 'AIRLINE_UPLOAD_HOST'), 21),
      idleTimeoutMs: config.AIRLINE_UPLOAD_IDLE_MS,
    },
    store: createFileStore({
      directory: join(config.AIRLINE_STATE_DIR, 'store'),
      baseUrl: storeUrl(config),
    }),
    database,
    logger,
    sources: {
      rule: sourceUrlRule(config),
      maxBytes: config.AIRLINE_SOURCE_MAX_BYTES,
      idleTimeoutMs: config.AIRLINE_SOURCE_IDLE_MS,
      fileMs: config.AIRLINE_SOURCE_FILE_MS,
    },
    signing: config.AIRLINE_SIGNING_KEY
      ? { keyId: config.AIRLINE_SIGNING_KEY, gnupgHome: null }
      : null,
    cancelUrlTimeoutMs: config.AIRLINE_CANCEL_URL_TIMEOUT_MS,
    logs: {
      maxBytes: config.AIRLINE_LOG_MAX_BYTES,
      hosts: list(config.AIRLINE_LOG_HOSTS),
      idleTimeoutMs: config.AIRLINE_SOURCE_IDLE_MS,
    },
    onRecorded: () => publisher.wake(),
  }),
  maxConcurrentActivityTaskExecutions: config.AIRLINE_WORKER_ACTIVITIES,
  maxCachedWorkflows: config.AIRLINE_WORKER_CACHED_WORKFLOWS,
  // Running activities have this long; then they are cancelled, and tried again elsewhere.
  shutdownGraceTime: config.AIRLINE_SHUTDOWN_GRACE_MS,
  // Even an activity that heeds no cancellation does not keep the process.
  shutdownForceTime: config.AIRLINE_SHUTDOWN_GRACE_MS + CANCELLED_WITHIN_MS,
  // A cancellation reaches an activity with the answer to its heartbeat.
  maxHeartbeatThrottleInterval: 2_000,
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    // More than one is one: npm passes on what the terminal has sent already.
    if (worker.getState() !== 'RUNNING') return;
    logger.info({ signal }, 'stopping');
    worker.shutdown();
  });

logger.info({ taskQueue: BUILD_TASK_QUEUE, bundle }, 'the worker polls');
const failure = await worker.run().then(
  () => undefined,
  (error: unknown) => ({ error }),
);
if (failure) logger.fatal({ err: failure.error }, 'the worker failed');
// Last of all that works: what the activities have recorded at the end is published too.
await publisher.stop();
// A worker that did not drain holds on to its native parts, which would wait for it.
if (failure) process.exit(1);
await connection.close();
await database.close();
await Runtime.instance().shutdown();
logger.info('stopped');
