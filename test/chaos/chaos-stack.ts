import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { BUILD_TASK_QUEUE } from '../../domain/build-workflow.ts';
import { testTaskQueue } from '../../domain/test-run.ts';
import { foreignEnvironment, loadConfig } from '../../main/config/config.ts';
import { makeDirectory, resolveDirectories } from '../../main/embedded/directories.ts';
import { neededPorts, type Addresses } from '../../main/embedded/environment.ts';
import { ownParts } from '../../main/embedded/own-processes.ts';
import type { Part, PartName, Service } from '../../main/embedded/part.ts';
import { checkPorts } from '../../main/embedded/ports.ts';
import { planParts } from '../../main/embedded/stack.ts';
import { endMarked } from '../../main/embedded/stale-processes.ts';
import { TASK_QUEUE_TYPE } from '../../main/embedded/temporal.ts';
import { canAccess, unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { makeSigningKey } from '../support/source-package.ts';
import { freePorts, portVariables } from '../support/stack/free-ports.ts';
import { FATE_SCRIPT } from './fates.ts';
import { POLICIES, scriptOfLandings, testsOfLandings } from './landing-fates.ts';
import { createPartRunner, type RunningPart, type UnaskedEnd } from './part-runner.ts';
import type { PlannedLanding } from './plan.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** Deadlines and intervals short enough that a run ends soon after its last kill. */
const LIMITS = {
  AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: '250',
  AIRLINE_STAND_IN_BUILDERS: '2000',
  AIRLINE_POLL_INITIAL_MS: '500',
  AIRLINE_POLL_MAX_MS: '2000',
  AIRLINE_PROGRESS_INTERVAL_MS: '10000',
  AIRLINE_DISPATCH_INTERVAL_MS: '500',
  AIRLINE_DISPATCH_BACKOFF_MS: '5000',
  AIRLINE_SWEEP_INTERVAL_MS: '10000',
  AIRLINE_PUBLISH_INTERVAL_MS: '500',
  AIRLINE_ACCEPTANCE_MS: '60000',
  AIRLINE_DEPENDENCY_WAIT_MS: '120000',
  AIRLINE_CANCELLATION_MS: '180000',
  // What is built in the end is to be built, however long it waits behind a thousand others while parts are down.
  AIRLINE_WHOLE_BUILD_MS: '1800000',
  AIRLINE_LAUNCHPAD_TIMEOUT_MS: '10000',
  AIRLINE_LANDING_POLL_MS: '500',
  // A copy that the target never shows is given up.
  AIRLINE_LANDING_PUBLICATION_MS: '90000',
  AIRLINE_LANDING_APPROVAL_MS: '240000',
  // A landing that failed gives its PPA back soon: others wait for it.
  AIRLINE_LANDING_LEASE_KEEP_MS: '10000',
  AIRLINE_PPA_POOL: [1, 2, 3].map((number) => `~airline/debian/pool-${number}`).join(','),
  AIRLINE_TEST_SLOTS: '4',
  AIRLINE_LOG_FORMAT: 'json',
};

/** dpkg's name of this machine's architecture, which the testers test on. */
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

/** A whole Airline whose parts can be killed: two APIs, two workers, two testers, and one of each other part. */
export type ChaosStack = {
  directory: string;
  stateDir: string;
  logDir: string;
  addresses: Addresses;
  /** Both APIs; they share rows and data store, as behind a proxy. */
  apiUrls: [string, string];
  parts: Map<string, RunningPart>;
  unaskedEnds: UnaskedEnd[];
  /** A worker more, not started yet. */
  newWorker(name: string): RunningPart;
  /** GNUPGHOME and fingerprint of the key whose uploads the PPA takes. */
  key: Awaited<ReturnType<typeof makeSigningKey>>;
  /** Kills everything. @param keep leaves the state and the logs */
  destroy(keep: boolean): Promise<void>;
};

/**
 * Starts it in a state directory of its own and on free ports. PostgreSQL, RabbitMQ and Temporal are as durable as in
 * `npm start`; the PPA is the scripted stand-in, and the tests are scripted, too. Without landings there are no testers.
 */
export async function startChaosStack(landings: readonly PlannedLanding[]): Promise<ChaosStack> {
  const account = unprivilegedUser(() => undefined);
  const directory = makeRunDirectory(account);
  const stateDir = join(directory, 'state');
  const keep = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const { sources, copies } = scriptOfLandings(landings);
  const script = { ...FATE_SCRIPT, sources: { ...sources, ...FATE_SCRIPT.sources }, copies };
  const [ports, others, key] = await Promise.all([freePorts(), freePorts(), makeSigningKey()]);
  const apiUrls: [string, string] = [
    `http://127.0.0.1:${ports.api}`,
    `http://127.0.0.1:${others.api}`,
  ];
  // A bundle of its own, unless it is given one: that in dist/ may be made anew while this runs.
  const given = process.env['AIRLINE_WORKFLOW_BUNDLE'];
  const bundle = resolve(given ?? join(directory, 'workflows.js'));
  const config = loadConfig({
    ...LIMITS,
    ...(process.env['AIRLINE_CACHE_DIR']
      ? { AIRLINE_CACHE_DIR: process.env['AIRLINE_CACHE_DIR'] }
      : {}),
    AIRLINE_STATE_DIR: stateDir,
    ...portVariables(ports),
    AIRLINE_PUBLIC_URL: apiUrls[0],
    AIRLINE_STAND_IN_SCRIPT: keep('script.json', JSON.stringify(script)),
    AIRLINE_TEST_SCRIPT: keep('tests.json', JSON.stringify(testsOfLandings(landings))),
    AIRLINE_LANDING_POLICY: keep('policies.yaml', POLICIES),
    AIRLINE_WORKFLOW_BUNDLE: relative(PROJECT_DIR, bundle),
  });
  const directories = resolveDirectories(config, account);
  const logDir = makeDirectory(join(stateDir, 'logs'));
  makeDirectory(directories.cache);
  mkdirSync(join(stateDir, 'stand-in', 'keys'), { recursive: true });
  writeFileSync(join(stateDir, 'stand-in', 'keys', 'chaos.asc'), key.publicKey);

  const { parts, environment, addresses } = planParts(
    { config, durable: true },
    directories,
    account,
  );
  await checkPorts(
    neededPorts(
      config,
      parts.map(({ name }) => name),
    ),
  );
  const replaced: PartName[] = [
    'api',
    'worker',
    'tester',
    ...(given ? (['workflow-bundle'] as const) : []),
  ];
  const ownOf = (name: PartName, apiPort: number, ownAddresses: Addresses): Service =>
    ownParts({
      config,
      addresses: ownAddresses,
      projectDir: PROJECT_DIR,
      environment: {
        ...foreignEnvironment(),
        ...environment,
        AIRLINE_API_PORT: String(apiPort),
      },
    }).find((part) => part.name === name) as Service;
  const runner = createPartRunner({ stateDir, logDir });
  const running = new Map<string, RunningPart>();

  const pollerPart = (kind: 'worker' | 'tester', name: string): Service => ({
    ...ownOf(kind, ports.api, addresses),
    name,
    isReady: () => isPolling(addresses.temporalAddress, kind, running.get(name)?.pid ?? 0),
  });
  const apiPart = (index: 0 | 1): Service => ({
    ...ownOf('api', index === 0 ? ports.api : others.api, { ...addresses, api: apiUrls[index] }),
    name: `api-${index + 1}`,
  });
  const destroy = async (keep: boolean) => {
    await Promise.all([...running.values()].map((part) => part.kill()));
    await endMarked(stateDir);
    await key.remove();
    if (!keep) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await runner.startAll(
      [
        ...parts.filter(({ name }) => !replaced.includes(name)),
        apiPart(0),
        apiPart(1),
        pollerPart('worker', 'worker-1'),
        pollerPart('worker', 'worker-2'),
        ...(landings.length > 0
          ? [pollerPart('tester', 'tester-1'), pollerPart('tester', 'tester-2')]
          : []),
      ] as Part[],
      running,
    );
  } catch (error) {
    await destroy(true);
    throw error;
  }
  return {
    directory,
    stateDir,
    logDir,
    addresses,
    apiUrls,
    parts: running,
    unaskedEnds: runner.unaskedEnds,
    newWorker(name) {
      const worker = runner.prepare(pollerPart('worker', name));
      running.set(name, worker);
      return worker;
    },
    key,
    destroy,
  };
}

/** Whether this very worker or tester polls: its identity begins with its process id. */
async function isPolling(
  address: string,
  kind: 'worker' | 'tester',
  pid: number,
): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    const { pollers } = await connection.withDeadline(Date.now() + 3_000, () =>
      connection.workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: kind === 'worker' ? BUILD_TASK_QUEUE : testTaskQueue(ARCHITECTURE) },
        taskQueueType: TASK_QUEUE_TYPE[kind === 'worker' ? 'workflow' : 'activity'],
      }),
    );
    return pollers.some(({ identity }) => identity?.startsWith(`${pid}@`) === true);
  } finally {
    await connection.close();
  }
}

/** A directory that the unprivileged user can reach. */
function makeRunDirectory(account: ReturnType<typeof unprivilegedUser>): string {
  const parent = [tmpdir(), '/tmp', '/var/tmp']
    .filter(existsSync)
    .find((path) => canAccess(account, 'x', path));
  const made = mkdtempSync(join(parent ?? tmpdir(), 'airline-chaos-'));
  chmodSync(made, 0o755);
  return made;
}
