import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { dialRule } from '../activities/sources/source-address.ts';
import { removeOldWorkFolders } from '../activities/sources/work-folder.ts';
import { activityInterceptor } from '../activities/temporal/activity-interceptor.ts';
import { activitySpans } from '../activities/temporal/activity-spans.ts';
import { openBuildWatches } from '../activities/temporal/build-watches.ts';
import { openTaskQueues } from '../activities/temporal/read-queues.ts';
import { startTailReader } from '../activities/logs/tail-reader.ts';
import { openSharedBudget } from '../activities/ppa/shared-budget.ts';
import { BUILD_TASK_QUEUE, OWN_QUEUES } from '../domain/builds/build-workflow.ts';
import { waitLimitsOf } from '../domain/builds/waiting.ts';
import { openDatabase } from '../models/database.ts';
import { createPpaClient } from '../ppa/client.ts';
import { parseCredentials } from '../ppa/credentials.ts';
import { startProgress } from '../progress/start-progress.ts';
import {
  hostAndPort,
  ppaAptUrl,
  requiredAddress,
  sourceUrlRule,
  webhookUrlRule,
} from './config/addresses.ts';
import { ConfigError, foreignEnvironment, loadConfig } from './config/config.ts';
import { openStore } from './config/data-store.ts';
import { registerSearchAttributes } from './config/search-attributes.ts';
import { connectToTemporal } from './config/temporal-connection.ts';
import { amqpCa, temporalTarget } from './config/temporal-target.ts';
import { endWhileStarting } from './config/stop-signals.ts';
import { startTracing } from './config/tracing.ts';
import {
  createWorkerLogger,
  runUntilStopped,
  stopLimits,
  workerIdentity,
  workerVersion,
} from './config/temporal-worker.ts';
import { waitUntilMigrated } from './config/wait-until-migrated.ts';
import { startWorkerProbes } from './probes/worker-probes.ts';

/** An activity waits for so long for the turn of a call; then it is tried again later. */
const MAX_CALL_WAIT_MS = 60_000;

const startIsOver = endWhileStarting();
const config = loadConfig();
const logger = createWorkerLogger('worker', config);
const bundle = resolve(config.workflowBundle);
if (!existsSync(bundle))
  throw new ConfigError(`There is no workflow bundle at ${bundle}: run \`npm run build\` first.`);

const tracing = await startTracing('worker', logger);

// A worker accepts the builds of landings.
const database = openDatabase(requiredAddress(config, 'databaseUrl'), config.database.poolSize, {
  waitLimits: waitLimitsOf(config.build, config.dispatcher.startMs),
});
const probes = await startWorkerProbes({
  address: config.probes.worker,
  database,
  timeoutMs: config.api.limits.probeTimeoutMs,
  logger,
});
await waitUntilMigrated(database.sequelize, logger);
const progress = startProgress({
  database,
  publisher: {
    amqpUrl: requiredAddress(config, 'amqpUrl'),
    amqpCa: amqpCa(config),
    ...config.publisher,
  },
  webhooks: { rule: webhookUrlRule(config), dialRule, ...config.webhookSender },
  repeater: { ...config.repeater, startMs: config.temporal.rpcTimeoutMs },
  logger,
});
const connection = await connectToTemporal(temporalTarget(config), logger);
const { namespace } = config.temporal;
await registerSearchAttributes(connection, namespace, logger);
const { credentialsFile, timeoutMs, callsPerSecond, keyserverUrl, tailMs } = config.launchpad;

const activities = createActivities({
  ppaClient: createPpaClient({
    rootUrl: requiredAddress(config, 'launchpadUrl'),
    credentials: credentialsFile
      ? parseCredentials(await readFile(credentialsFile, 'utf8'))
      : undefined,
    timeoutMs,
    budget: openSharedBudget(database.sequelize, {
      perSecond: callsPerSecond,
      maxWaitMs: MAX_CALL_WAIT_MS,
      callMs: timeoutMs,
    }),
    keyserverUrl,
    logger,
  }),
  uploadServer: {
    ...hostAndPort(requiredAddress(config, 'uploadHost'), 21),
    ...config.upload,
  },
  store: await openStore(config, logger),
  database,
  logger,
  sources: { rule: sourceUrlRule(config), ...config.sources },
  signing: config.signingKey
    ? { keyId: config.signingKey, gnupgHome: foreignEnvironment()['GNUPGHOME'] || null }
    : null,
  cancelUrlTimeoutMs: config.cancelUrlTimeoutMs,
  logs: { ...config.logs, idleTimeoutMs: config.sources.idleTimeoutMs },
  aptUrl: ppaAptUrl(config),
  watches: openBuildWatches(new Client({ connection, namespace })),
  queues: openTaskQueues(connection, namespace),
  onRecorded: progress.wake,
});
const shared = {
  connection,
  namespace,
  identity: workerIdentity(),
  ...workerVersion(config),
  interceptors: {
    activity: [
      ...(tracing ? [activitySpans({ database, logger })] : []),
      activityInterceptor({ database, logger }),
    ],
  },
  activities,
  ...stopLimits(config),
};
// What takes long has slots of its own. All activities stay on the first queue, too: builds from before there were
// others have all their tasks there.
const workers = [
  await Worker.create({
    ...shared,
    taskQueue: BUILD_TASK_QUEUE,
    workflowBundle: { codePath: bundle },
    ...config.worker,
  }),
  await Worker.create({
    ...shared,
    taskQueue: OWN_QUEUES.transferQueue,
    ...config.transfers,
  }),
  await Worker.create({ ...shared, taskQueue: OWN_QUEUES.logQueue, ...config.logCollections }),
];

const tails = startTailReader({
  sequelize: database.sequelize,
  intervalMs: tailMs,
  timeoutMs,
  callsPerSecond,
  logger,
});
probes.attach({ connection, workers });
const ending = new AbortController();
// Meanwhile it works: there may be gigabytes.
const removal = removeOldWorkFolders({ signal: ending.signal, logger });
logger.info(
  { taskQueues: workers.map(({ options }) => options.taskQueue), bundle },
  'the worker polls',
);
startIsOver();
const hasFailed = await runUntilStopped(workers, logger);
ending.abort();
await removal;
await tails.stop();
// Last of all that works: what the activities have recorded at the end is published too.
await progress.stop();
await probes.close();
// A worker that did not drain holds on to its native parts, which would wait for it.
if (hasFailed) process.exit(1);
await connection.close();
await database.close();
await tracing?.stop();
await Runtime.instance().shutdown();
logger.info('stopped');
