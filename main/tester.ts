import { hostname } from 'node:os';
import { join } from 'node:path';
import { Runtime, Worker } from '@temporalio/worker';
import { activityInterceptor } from '../activities/temporal/activity-interceptor.ts';
import { createTestingActivities } from '../activities/testing/index.ts';
import { createScriptedArchive } from '../activities/testing/scripted-archive.ts';
import { createScriptedMachine } from '../activities/testing/scripted-machine.ts';
import { testTaskQueue } from '../domain/test-run.ts';
import { openDatabase } from '../models/database.ts';
import { createPpaClient } from '../ppa/client.ts';
import { readMachine } from '../sandbox/machine.ts';
import { createFileStore } from '../store/file.ts';
import { requiredAddress, sourceUrlRule, storeUrl } from './config/addresses.ts';
import { ConfigError, loadConfig } from './config/config.ts';
import { connectToTemporal } from './config/temporal-connection.ts';
import {
  createWorkerLogger,
  installRuntime,
  runUntilStopped,
  stopLimits,
} from './config/temporal-worker.ts';

const CONNECT_WITHIN_MS = 300_000;

const config = loadConfig();
const { slots, scriptPath, ...options } = config.tester;
const logger = createWorkerLogger('tester', config);
installRuntime(logger);

const { architecture } = await readMachine();
const { state } = config.directories;
if (scriptPath === undefined) throw new ConfigError('AIRLINE_TEST_SCRIPT is not set.');
const workDir = join(state, 'tester');
const machine = createScriptedMachine(scriptPath, { name: hostname(), architecture, workDir });
const archive = createScriptedArchive(scriptPath, workDir);
const database = openDatabase(requiredAddress(config, 'databaseUrl'), config.database.poolSize);
const connection = await connectToTemporal(
  requiredAddress(config, 'temporalAddress'),
  CONNECT_WITHIN_MS,
  logger,
);
const { timeoutMs, keyserverUrl } = config.launchpad;
const taskQueue = testTaskQueue(architecture);

const worker = await Worker.create({
  connection,
  namespace: config.temporal.namespace,
  taskQueue,
  interceptors: { activity: [activityInterceptor({ database, logger })] },
  activities: createTestingActivities({
    ppaClient: createPpaClient({
      rootUrl: requiredAddress(config, 'launchpadUrl'),
      credentials: undefined,
      timeoutMs,
      keyserverUrl,
      logger,
    }),
    store: createFileStore({ directory: join(state, 'store'), baseUrl: storeUrl(config) }),
    sources: { rule: sourceUrlRule(config), ...config.sources },
    logs: { hosts: config.logs.hosts, idleTimeoutMs: config.sources.idleTimeoutMs },
    database,
    logger,
    machine,
    archive,
    limits: options,
  }),
  ...stopLimits(config),
  maxConcurrentActivityTaskExecutions: Math.max(1, slots),
});

logger.info({ taskQueue, slots }, 'the tester polls');
const hasFailed = await runUntilStopped(worker, logger);
// A worker that did not drain holds on to its native parts, which would wait for it.
if (hasFailed) process.exit(1);
await connection.close();
await database.close();
await Runtime.instance().shutdown();
logger.info('stopped');
