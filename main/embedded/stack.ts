import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALLOW_NAMESPACES, whyNoNamespaces } from '../../sandbox/namespaces.ts';
import { foreignEnvironment, type Config } from '../config/config.ts';
import { makeDirectory, resolveDirectories, type Directories } from './directories.ts';
import { composeEnvironment, neededPorts, replacedParts, type Addresses } from './environment.ts';
import { takeLock } from './lock.ts';
import { ownParts } from './own-processes.ts';
import type { Part, PartName, Progress } from './part.ts';
import { assertFreePorts } from './ports.ts';
import { databasePassword, postgresPart } from './postgres.ts';
import { rabbitmqParts } from './rabbitmq.ts';
import { renameWhole } from './rename-whole.ts';
import { endStaleProcesses } from './stale-processes.ts';
import type { PartFailure } from './part-failure.ts';
import { createSupervisor } from './supervisor.ts';
import { temporalCliStep, type TemporalCli } from './temporal-cli.ts';
import { temporalPart } from './temporal.ts';
import {
  freeSubordinateRange,
  missingSubordinateIds,
  unprivilegedUser,
  type Account,
} from './unprivileged-user.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
/**
 * For each process of ours, as the Dockerfile has it. libuv lets lookups of names have half of them, and none ends
 * before its name server answers or the system gives up: with Node's own 4, two dead names keep a process from all
 * others.
 */
const POOL_THREADS = '16';

/** A running stack. */
export type Stack = {
  addresses: Addresses;
  directories: Directories;
  logDir: string;
  /** The `AIRLINE_` variables with which a process of ours finds every part. */
  environment: Readonly<Record<string, string>>;
  /** Resolves when a part has ended by itself and, for that, the whole stack was stopped. */
  failed: Promise<PartFailure>;
  /** Stops every part in order and gives the state directory free. Safe to call again. */
  stop: () => Promise<void>;
};

export type StackOptions = {
  config: Config;
  report: (progress: Progress) => void;
  /** Start these parts and those they need; unset: all. */
  only?: readonly PartName[];
  /** Parts whose work is done already: they are not started, and nobody waits for them. */
  without?: readonly PartName[];
  /** Makes one file of a program of ours, given its path in the project; unset: bundleProgram, for each start anew. */
  bundle?: (program: string) => Promise<void>;
  /** False for throw-away data: faster, but a power cut may spoil it. */
  durable?: boolean;
  /** Gives the start up. */
  signal?: AbortSignal;
};

/**
 * Starts the embedded stack: PostgreSQL, RabbitMQ, Temporal, the Launchpad stand-in, the API, a worker and a tester,
 * save those that the configuration replaces or leaves out. What a killed stack left running in the same state
 * directory is ended first; its data is kept.
 *
 * @throws Error that says what to do: the state directory is in use, a port is taken, a part does not start
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, report } = options;
  const startedAt = Date.now();
  const say = (text: string) =>
    report({ part: 'stack', kind: 'note', text, elapsedMs: Date.now() - startedAt });
  const account = unprivilegedUser(say);
  const directories = resolveDirectories(config, account);
  const runDir = makeDirectory(join(directories.state, 'run'));
  const logDir = makeDirectory(join(directories.state, 'logs'));
  makeDirectory(directories.cache);
  say(`state in ${directories.state}, cache in ${directories.cache}`);
  if (account)
    say(`as root: PostgreSQL, RabbitMQ, Temporal and sbuild run as the user ${account.name}`);

  const unlock = takeLock(join(runDir, 'lock'), directories.state);
  try {
    await endStaleProcesses(runDir, directories.state, say);
    const { parts, environment, addresses } = planParts(options, directories, account);
    if (parts.some(({ name }) => name === 'stand-in') && config.standIn.scriptPath === undefined)
      await assertNamespaces(account);
    const { user, scriptPath } = config.tester;
    if (parts.some(({ name }) => name === 'tester') && !user && scriptPath === undefined)
      unprivilegedUser(say, 'airline-test');
    await assertFreePorts(
      neededPorts(
        config,
        parts.map(({ name }) => name),
      ),
    );
    const supervisor = createSupervisor({ stateDir: directories.state, runDir, logDir }, report);
    await supervisor.start(parts, options.signal);
    const stop = async () => {
      await supervisor.stop().finally(unlock);
    };
    return {
      addresses,
      directories,
      logDir,
      environment,
      stop,
      failed: supervisor.failed.then(async (failure) => {
        await stop();
        return failure;
      }),
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The parts of a stack, of which nothing has started, and how the processes of ours find them. */
export function planParts(
  options: Pick<StackOptions, 'config' | 'only' | 'without' | 'bundle' | 'durable'>,
  directories: Directories,
  account: Account | undefined,
) {
  const { config, durable = true } = options;
  const password = config.addresses.databaseUrl ? '' : databasePassword(directories.state);
  const { environment, addresses } = composeEnvironment(config, {
    directories,
    databasePassword: password,
    credentialsFile: credentialsFile(directories.state),
    buildUser: account?.name,
    projectDir: PROJECT_DIR,
  });
  const processEnvironment = {
    UV_THREADPOOL_SIZE: POOL_THREADS,
    ...foreignEnvironment(),
    ...environment,
  };
  let cli: TemporalCli | undefined;
  const all: Part<PartName>[] = [
    postgresPart({
      directories,
      port: config.ports.database,
      password,
      account,
      durable,
    }),
    ...rabbitmqParts({
      directories,
      port: config.ports.amqp,
      account,
      limits: config.queueLimits,
    }),
    temporalCliStep({
      cacheDir: directories.cache,
      projectDir: PROJECT_DIR,
      environment: foreignEnvironment(),
      account,
      found: (found) => (cli = found),
    }),
    temporalPart({
      directories,
      port: config.ports.temporal,
      uiPort: config.ports.temporalUi,
      httpPort: config.ports.temporalHttp,
      metricsPort: config.ports.temporalMetrics,
      namespace: config.temporal.namespace,
      account,
      durable,
      cli: () => cli?.path ?? '',
    }),
    ...ownParts({
      config,
      addresses,
      projectDir: PROJECT_DIR,
      environment: processEnvironment,
      ...(options.bundle ? { bundle: options.bundle } : {}),
    }),
  ];
  const replaced = [
    ...replacedParts(config),
    ...(hasTester(config) ? [] : (['tester'] as const)),
    ...(options.without ?? []),
  ];
  const parts = withNeeds(
    all.filter(({ name }) => !replaced.includes(name)),
    options.only,
  );
  return { parts, environment, addresses };
}

/** A stack whose builds are scripted has nothing to test, unless its tests are scripted, too. */
function hasTester({ tester, standIn }: Config): boolean {
  return tester.slots > 0 && (tester.scriptPath !== undefined || standIn.scriptPath === undefined);
}

/** The named parts and, down to the last, those they need. */
function withNeeds(
  parts: Part<PartName>[],
  only: readonly PartName[] | undefined,
): Part<PartName>[] {
  if (!only) return parts;
  const chosen = new Set<PartName>();
  const choose = (name: PartName) => {
    const part = parts.find((candidate) => candidate.name === name);
    if (!part || chosen.has(name)) return;
    chosen.add(name);
    part.needs.forEach(choose);
  };
  only.forEach(choose);
  return parts.filter(({ name }) => chosen.has(name));
}

function credentialsFile(stateDir: string): string {
  const path = join(stateDir, 'launchpad-credentials');
  if (!existsSync(path)) {
    writeFileSync(
      `${path}.new`,
      [
        '[1]',
        'consumer_key = airline',
        'consumer_secret = ',
        `access_token = ${randomBytes(15).toString('base64url')}`,
        `access_secret = ${randomBytes(30).toString('base64url')}`,
        '',
      ].join('\n'),
      { mode: 0o600 },
    );
    renameWhole(`${path}.new`, path);
  }
  return path;
}

/**
 * Sees that the user that builds can work in a user namespace with subordinate ids. Root has given its user
 * the ids; a caller who is not root can be given them only by the machine's administrator.
 *
 * @throws Error that says what the administrator can do
 */
async function assertNamespaces(account: Account | undefined): Promise<void> {
  if (!account) {
    const { username: name, uid } = userInfo();
    const missing = missingSubordinateIds({ name, uid });
    const range = freeSubordinateRange();
    if (missing.length > 0)
      throw new Error(
        `sbuild builds in a user namespace, for which the user ${name} has no subordinate ids in ${missing.join(' and ')}. ` +
          `Run: sudo usermod --add-subuids ${range} --add-subgids ${range} ${name}`,
      );
  }
  const why = await whyNoNamespaces(account, ['--map-root-user', '--map-auto']);
  if (why !== undefined)
    throw new Error(
      `sbuild builds in a user namespace, and this machine does not let an unprivileged user work in one (${why}). ` +
        `${ALLOW_NAMESPACES} A container: run it without its seccomp profile. ` +
        'Without any builds: set AIRLINE_STAND_IN_SCRIPT, or AIRLINE_LAUNCHPAD_URL and AIRLINE_UPLOAD_HOST.',
    );
}
