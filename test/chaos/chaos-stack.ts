import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { BUILD_TASK_QUEUE } from '../../domain/builds/build-workflow.ts';
import { TASK_QUEUE_TYPE } from '../../domain/service/worker-queue.ts';
import { testTaskQueue } from '../../domain/testing/test-run.ts';
import { foreignEnvironment, loadConfig } from '../../main/config/config.ts';
import { makeDirectory, resolveDirectories } from '../../main/embedded/directories.ts';
import type { Addresses } from '../../main/embedded/environment.ts';
import { ownParts } from '../../main/embedded/own-processes.ts';
import type { Part, PartName, Service } from '../../main/embedded/part.ts';
import { planParts } from '../../main/embedded/stack.ts';
import { endMarked } from '../../main/embedded/stale-processes.ts';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { makeSigningKey } from '../support/signing-key.ts';
import type { Strike } from './blows.ts';
import { FATE_SCRIPT } from './fates.ts';
import { POLICIES, scriptOfLandings, testsOfLandings } from './landing-fates.ts';
import { manyMachines } from './machines/many-machines.ts';
import { oneMachine } from './one-machine.ts';
import { createPartRunner, type RunningPart, type UnaskedEnd } from './part-runner.ts';
import type { Plan } from './plan.ts';

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

const DISTRIBUTION = 'debian';
/** dpkg's name of this machine's architecture, which the testers test on. */
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

/** A whole Airline whose parts can be killed: two APIs, some workers, two testers, and one of each other part. */
export type ChaosStack = {
  directory: string;
  stateDir: string;
  logDir: string;
  addresses: Addresses;
  /** Both APIs; they share rows and data store, as behind a proxy. */
  apiUrls: readonly [string, string];
  /** For APIs that ask for one. */
  token: string | undefined;
  /** The address at which the parts reach the lander. */
  landerHost: string;
  parts: Map<string, RunningPart>;
  strike: Strike;
  unaskedEnds: UnaskedEnd[];
  /** A worker more, not started yet. */
  newWorker(name: string): RunningPart;
  /** GNUPGHOME and fingerprint of the key whose uploads the PPA takes. */
  key: Awaited<ReturnType<typeof makeSigningKey>>;
  /** Kills everything. @param keep leaves the state and the logs */
  destroy(keep: boolean): Promise<void>;
};

/**
 * Starts it in a state directory of its own. PostgreSQL, RabbitMQ and Temporal are as durable as in `npm start`; the
 * PPA is the scripted stand-in, and the tests are scripted, too. Without landings there are no testers.
 *
 * @param directory of the run, which the unprivileged user can reach
 */
export async function startChaosStack(
  { landings, clocks }: Pick<Plan, 'landings' | 'clocks'>,
  directory: string,
): Promise<ChaosStack> {
  const account = unprivilegedUser(() => undefined);
  const stateDir = stateDirOf(directory);
  const keep = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  makeDirectory(stateDir);
  const site =
    clocks === null ? await oneMachine() : await manyMachines({ directory, stateDir, clocks });
  const { sources, copies } = scriptOfLandings(landings);
  const script = { ...FATE_SCRIPT, sources: { ...sources, ...FATE_SCRIPT.sources }, copies };
  const key = await makeSigningKey();
  // A bundle of its own, unless it is given one: that in dist/ may be made anew while this runs.
  const given = process.env['AIRLINE_WORKFLOW_BUNDLE'];
  const bundle = resolve(given ?? join(directory, 'workflows.js'));
  const config = loadConfig({
    ...LIMITS,
    ...(process.env['AIRLINE_CACHE_DIR']
      ? { AIRLINE_CACHE_DIR: process.env['AIRLINE_CACHE_DIR'] }
      : {}),
    AIRLINE_STATE_DIR: stateDir,
    ...site.variables,
    AIRLINE_STAND_IN_SCRIPT: keep('script.json', JSON.stringify(script)),
    AIRLINE_TEST_SCRIPT: keep('tests.json', JSON.stringify(testsOfLandings(landings))),
    AIRLINE_TEST_DISTRIBUTION: DISTRIBUTION,
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
  const processEnvironment = { ...foreignEnvironment(), ...environment, ...site.variables };
  const replaced: PartName[] = [
    'api',
    'worker',
    'tester',
    ...(given ? (['workflow-bundle'] as const) : []),
  ];
  const ownOf = (
    name: PartName,
    own: { addresses: Addresses; variables: Readonly<Record<string, string>> },
  ): Service =>
    ownParts({
      config,
      addresses: own.addresses,
      projectDir: PROJECT_DIR,
      environment: { ...processEnvironment, ...own.variables },
    }).find((part) => part.name === name) as Service;
  const runner = createPartRunner({ stateDir, logDir });
  const running = new Map<string, RunningPart>();

  const pollerPart = (kind: 'worker' | 'tester', name: string): Service => ({
    ...ownOf(kind, { addresses, variables: {} }),
    name,
    isReady: () => isPolling(addresses.temporalAddress, kind, running.get(name)?.pid ?? 0),
  });
  const apiPart = (index: 0 | 1): Service => ({
    ...ownOf('api', {
      addresses: { ...addresses, api: site.apiUrls[index] },
      variables: site.apiVariables[index],
    }),
    name: `api-${index + 1}`,
  });
  const numbered = (kind: 'worker' | 'tester', count: number) =>
    Array.from({ length: count }, (_, index) => pollerPart(kind, `${kind}-${index + 1}`));
  const destroy = async (keep: boolean) => {
    await Promise.all([...running.values()].map((part) => part.kill()));
    await site.close();
    await endMarked(stateDir);
    if (!keep) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const ground = {
      config,
      directories,
      account,
      projectDir: PROJECT_DIR,
      environment: processEnvironment,
      addresses,
    };
    const all: Part[] = [
      ...parts.filter(({ name }) => !replaced.includes(name)),
      ...site.otherParts(ground),
      apiPart(0),
      apiPart(1),
      ...numbered('worker', site.workers),
      ...numbered('tester', landings.length > 0 ? 2 : 0),
    ];
    await runner.startAll(
      all.map((part) => (part.kind === 'step' ? part : site.placed(part))),
      running,
    );
    const token = await site.token(addresses.databaseUrl);
    return {
      directory,
      stateDir,
      logDir,
      addresses,
      apiUrls: site.apiUrls,
      token,
      landerHost: site.landerHost,
      parts: site.victims(running),
      strike: site.strike,
      unaskedEnds: runner.unaskedEnds,
      newWorker: (name) => runner.prepare(pollerPart('worker', name)),
      key,
      destroy,
    };
  } catch (error) {
    await destroy(true);
    throw error;
  }
}

/** The state directory of a run, which all of its processes carry as their marker. */
export function stateDirOf(directory: string): string {
  return join(directory, 'state');
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
        taskQueue: {
          name:
            kind === 'worker'
              ? BUILD_TASK_QUEUE
              : testTaskQueue({ distribution: DISTRIBUTION, architecture: ARCHITECTURE }),
        },
        taskQueueType: TASK_QUEUE_TYPE[kind === 'worker' ? 'workflow' : 'activity'],
      }),
    );
    return pollers.some(({ identity }) => identity?.startsWith(`${pid}@`) === true);
  } finally {
    await connection.close();
  }
}
