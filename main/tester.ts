import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { Runtime, Worker } from '@temporalio/worker';
import { activityInterceptor } from '../activities/temporal/activity-interceptor.ts';
import { createAptArchive } from '../activities/testing/archive/apt-archive.ts';
import { createTestingActivities } from '../activities/testing/index.ts';
import { createScriptedArchive } from '../activities/testing/archive/scripted-archive.ts';
import { readTargetRelease } from '../activities/testing/archive/target-release.ts';
import { readSources, type SourceOptions } from '../activities/testing/machine/apt-sources.ts';
import { openAutopkgtestMachine } from '../activities/testing/machine/autopkgtest-machine.ts';
import { assertRoom, workerSlots, type Room } from '../activities/testing/slots-with-room.ts';
import { createScriptedMachine } from '../activities/testing/scripted-machine.ts';
import type { TestArchive } from '../activities/testing/archive/test-archive.ts';
import type { TestMachine } from '../activities/testing/test-machine.ts';
import { ppaRepository } from '../domain/builds/built-package.ts';
import { ppaReference } from '../domain/packages/ppa.ts';
import { testTaskQueue } from '../domain/testing/test-run.ts';
import { openDatabase } from '../models/database.ts';
import { createPpaClient } from '../ppa/client.ts';
import { hasRoom } from '../sandbox/disk-room.ts';
import { readMachine } from '../sandbox/machine.ts';
import { openRunGroups, type GroupOwner, type RunGroups } from '../sandbox/run-groups.ts';
import { createUnprivileged } from '../sandbox/unprivileged.ts';
import { ppaAptUrl, requiredAddress, sourceUrlRule } from './config/addresses.ts';
import { loadConfig } from './config/config.ts';
import { openStore } from './config/data-store.ts';
import { endWhileStarting } from './config/stop-signals.ts';
import { connectToTemporal } from './config/temporal-connection.ts';
import { temporalTarget } from './config/temporal-target.ts';
import {
  createWorkerLogger,
  runUntilStopped,
  stopLimits,
  REPORTED_VERSION,
  workerIdentity,
} from './config/temporal-worker.ts';
import { waitUntilMigrated } from './config/wait-until-migrated.ts';
import { aptAccount, requiredAccount } from './embedded/required-account.ts';
import { openFilesToOthers } from './embedded/unprivileged-user.ts';
import { startWorkerProbes } from './probes/worker-probes.ts';

openFilesToOthers();
const startIsOver = endWhileStarting();
const config = loadConfig();
const { slots, scriptPath, user, mirror, squashfs, distribution: given, ...limits } = config.tester;
const logger = createWorkerLogger('tester', config);

const { architecture, distribution: own } = await readMachine();
const { state } = config.directories;
const atOnce = Math.max(1, slots);
const database = openDatabase(
  requiredAddress(config, 'databaseUrl'),
  // Each activity may keep one connection for the lock of an image or a run that it makes or waits for.
  config.database.poolSize + atOnce,
);
const room: Room = { isShort: false };
const probes = await startWorkerProbes({
  address: config.probes.tester,
  database,
  ownParts: { disk: () => assertRoom(room) },
  timeoutMs: config.api.limits.probeTimeoutMs,
  logger,
});
await waitUntilMigrated(database.sequelize, logger);
const connection = await connectToTemporal(temporalTarget(config), logger);
const { timeoutMs, keyserverUrl } = config.launchpad;
const ppaClient = createPpaClient({
  rootUrl: requiredAddress(config, 'launchpadUrl'),
  credentials: undefined,
  timeoutMs,
  keyserverUrl,
  logger,
});
const store = await openStore(config, logger);
const aptUrl = ppaAptUrl(config);
const name = hostname();
const workDir = join(state, 'tester');
const { machine, archive, ...slotOptions } =
  scriptPath === undefined
    ? await openReal()
    : {
        machine: createScriptedMachine(scriptPath, { name, architecture, workDir, squashfs }),
        archive: createScriptedArchive(scriptPath, workDir),
        maxConcurrentActivityTaskExecutions: atOnce,
      };
const taskQueue = testTaskQueue({ distribution: given ?? own, architecture });

const worker = await Worker.create({
  connection,
  namespace: config.temporal.namespace,
  taskQueue,
  identity: workerIdentity(),
  interceptors: { activity: [activityInterceptor({ database, logger })] },
  activities: createTestingActivities({
    ppaClient,
    store,
    sources: { rule: sourceUrlRule(config), ...config.sources },
    logs: { hosts: config.logs.hosts, idleTimeoutMs: config.sources.idleTimeoutMs },
    database,
    logger,
    machine,
    archive,
    limits,
  }),
  ...REPORTED_VERSION,
  ...stopLimits(config),
  ...slotOptions,
});

probes.attach({ connection, workers: [worker] });
logger.info({ taskQueue, slots }, 'the tester polls');
startIsOver();
const hasFailed = await runUntilStopped([worker], logger);
await probes.close();
// A worker that did not drain holds on to its native parts, which would wait for it.
if (hasFailed) process.exit(1);
await machine.close();
await connection.close();
await database.close();
await Runtime.instance().shutdown();
logger.info('stopped');

/**
 * Images and tests of this machine, the archive of the mirrors that these are made from, and slots that are given while
 * its disk has room.
 */
async function openReal(): Promise<
  { machine: TestMachine; archive: TestArchive } & ReturnType<typeof workerSlots>
> {
  const runAs = requiredAccount(
    'AIRLINE_TEST_USER',
    user,
    "tests are strangers' code, which does not run as root",
  );
  const cacheDir = resolve(config.directories.cache);
  const owner = { cacheDir, instance: resolve(state) };
  const places: SourceOptions = {
    mirror,
    repositoryOf: (ppa) => ppaRepository(aptUrl, ppa),
    async fetchKey(ppa) {
      const fingerprint = (await ppaClient.getArchive(ppa))?.signing_key_fingerprint;
      if (!fingerprint) throw new Error(`${ppaReference(ppa)} has no signing key.`);
      return ppaClient.fetchPublicKey(fingerprint);
    },
  };
  const machine = await openAutopkgtestMachine({
    ...places,
    name,
    architecture,
    ...owner,
    runAs,
    groups: await openGroups(owner),
    squashfs,
    store,
    limits,
  });
  const archive = createAptArchive({
    instance: owner.instance,
    // Not `archive`: folders there were the tests' user's once, and links may stand in them.
    cacheDir: join(cacheDir, 'tests', 'indexes'),
    mirrorsOf: (place) => readSources(place, places),
    targetRelease: readTargetRelease({
      ppaClient,
      repositoryOf: places.repositoryOf,
      idleTimeoutMs: config.sources.idleTimeoutMs,
    }),
    // Not the tests' user: apt trusts what is in its folders.
    unprivileged: createUnprivileged(aptAccount()),
    timeoutMs: limits.imageMs,
    diskBytes: limits.diskBytes,
  });
  const folder = join(cacheDir, 'tests');
  const { diskBytes } = limits;
  const slotOptions = workerSlots({
    slots: atOnce,
    hasRoom: () => hasRoom(folder, diskBytes),
    room,
    logger: logger.child({ folder, diskBytes }),
  });
  return { machine, archive, ...slotOptions };
}

/** What bounds whole runs; undefined where this machine has no such thing, which is said. */
async function openGroups(owner: GroupOwner): Promise<RunGroups | undefined> {
  try {
    return await openRunGroups(owner);
  } catch (error) {
    logger.warn(
      { memoryBytes: limits.memoryBytes, reason: (error as Error).message },
      'the private memory of each process of a test is bounded, not the memory of a whole run: see docs/testers.md',
    );
    return undefined;
  }
}
