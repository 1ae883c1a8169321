import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import pino from 'pino';
import { foreignEnvironment } from '../../../main/config/config.ts';
import { findGo } from '../../../main/embedded/go-program.ts';
import { waitForLock } from '../../../main/embedded/lock.ts';
import type { Progress, Service, StartContext, Step } from '../../../main/embedded/part.ts';
import { registerSearchAttributes } from '../../../main/config/search-attributes.ts';
import { createSupervisor, type Supervisor } from '../../../main/embedded/supervisor.ts';
import type { Account } from '../../../main/embedded/unprivileged-user.ts';
import { freePorts } from './free-ports.ts';

/** As in docker-compose.yml. */
const SERVER_VERSION = '1.31.2';
const PROGRAMS = ['server', 'sql'] as const;
const BUILD_MS = 30 * 60_000;
const SCHEMA_MS = 120_000;
const NAMESPACE = 'default';
const RETENTION_S = 86_400;
const DATABASES = [
  ['temporal', 'temporal'],
  ['temporal_visibility', 'visibility'],
] as const;

/** A Temporal server as production has it: its four services and, in PostgreSQL, its state and its visibility. */
export type TemporalCluster = { address: string; stop: Supervisor['stop'] };

/**
 * Starts a Temporal server of its own databases in a PostgreSQL, built from its Go module at the first time.
 *
 * @param options.databaseUrl of the PostgreSQL, of a user who may create databases
 * @param options.directory where its configuration and logs go; exists
 */
export async function startTemporalCluster(options: {
  databaseUrl: string;
  directory: string;
  cacheDir: string;
  projectDir: string;
  account: Account | undefined;
  report: (progress: Progress) => void;
}): Promise<TemporalCluster> {
  const { directory } = options;
  const ports = [await freePorts(), await freePorts()].flatMap(Object.values);
  for (const folder of ['run', 'logs']) mkdirSync(join(directory, folder));
  const supervisor = createSupervisor(
    {
      stateDir: directory,
      runDir: join(directory, 'run'),
      logDir: join(directory, 'logs'),
    },
    options.report,
  );
  const host = '127.0.0.1';
  await supervisor.start([
    temporalProgramsStep(options),
    ...temporalClusterParts({ ...options, host, ports }),
  ]);
  return { address: `${host}:${ports[0]}`, stop: supervisor.stop };
}

/**
 * The schema and the server, as parts of a stack; `temporalProgramsStep` has made their programs.
 *
 * @param options.host the address that the server binds to
 * @param options.ports eight: for each of its services that for calls and that for their membership; the first is the
 *   one that clients call
 */
export function temporalClusterParts(options: {
  databaseUrl: string;
  directory: string;
  cacheDir: string;
  projectDir: string;
  account: Account | undefined;
  host: string;
  ports: readonly number[];
}): [Step, Service] {
  const { directory, account, host, ports } = options;
  const address = `${host}:${ports[0]}`;
  const programs = programsIn(options.cacheDir);
  const configFile = join(directory, 'temporal.yaml');
  const filepath = join(options.projectDir, 'main/embedded/temporal-dynamic-config.yaml');
  writeFileSync(
    configFile,
    JSON.stringify({
      ...serverConfig(options.databaseUrl, host, ports),
      dynamicConfigClient: { filepath, pollInterval: '1m' },
    }),
  );
  return [
    schemaStep({ ...options, programs }),
    {
      kind: 'service',
      name: 'temporal',
      needs: ['temporal-schema'],
      command: () => ({
        file: join(programs, 'server'),
        args: ['--config-file', configFile, '--allow-no-auth', 'start'],
        cwd: directory,
        environment: { PATH: '/usr/bin:/bin', HOME: directory },
        runAs: account,
      }),
      isReady: () => registerNamespace(address),
      startTimeoutMs: 180_000,
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 30_000,
      summary: () => `server ${SERVER_VERSION} on PostgreSQL, ${address}`,
    },
  ];
}

function programsIn(cacheDir: string): string {
  return join(cacheDir, `temporal-server-${SERVER_VERSION}`);
}

/** Builds the programs of a Temporal server with Go, where the machine's cache has none. */
export function temporalProgramsStep(options: {
  cacheDir: string;
  directory: string;
  projectDir: string;
}): Step {
  return {
    kind: 'step',
    name: 'temporal-programs',
    needs: [],
    perform: async (context) => {
      const programs = programsIn(options.cacheDir);
      const areThere = () => PROGRAMS.every((name) => existsSync(join(programs, name)));
      if (areThere()) return programs;
      const unlock = await waitForLock(`${programs}.lock`, BUILD_MS, context.signal);
      try {
        if (!areThere()) await buildPrograms(programs, options, context);
      } finally {
        unlock();
      }
      return programs;
    },
  };
}

async function buildPrograms(
  programs: string,
  options: { directory: string; projectDir: string },
  context: StartContext,
): Promise<void> {
  context.note(`building the Temporal server ${SERVER_VERSION} with Go: once, for some minutes`);
  const work = join(options.directory, 'go');
  mkdirSync(work);
  const built = join(work, 'bin');
  const environment = {
    ...foreignEnvironment(),
    CGO_ENABLED: '0',
    GOBIN: built,
    GOCACHE: join(work, 'objects'),
    GOMODCACHE: join(work, 'modules'),
    GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -modcacherw`.trim(),
  };
  const go = await findGo(
    { projectDir: options.projectDir, module: 'tools', directory: work, environment },
    context,
  );
  const packages = ['cmd/server', 'cmd/tools/sql'].map(
    (path) => `go.temporal.io/server/${path}@v${SERVER_VERSION}`,
  );
  await context.run(
    {
      file: go.file,
      args: ['install', '-ldflags=-s -w', ...packages],
      cwd: work,
      environment: go.environment,
    },
    BUILD_MS,
  );
  rmSync(programs, { recursive: true, force: true });
  renameSync(built, programs);
}

function schemaStep(options: {
  programs: string;
  directory: string;
  databaseUrl: string;
  account: Account | undefined;
}): Step {
  return {
    kind: 'step',
    name: 'temporal-schema',
    needs: ['temporal-programs', 'postgresql'],
    perform: async ({ run }) => {
      const { hostname, port, username, password } = new URL(options.databaseUrl);
      for (const [database, schema] of DATABASES)
        for (const args of [
          ['create'],
          ['setup-schema', '-v', '0.0'],
          ['update-schema', '-schema-name', `postgresql/v12/${schema}`],
        ])
          await run(
            {
              file: join(options.programs, 'sql'),
              args: [
                ['--ep', hostname, '-p', port, '-u', username, '--pl', 'postgres12'],
                ['--db', database, ...args],
              ].flat(),
              cwd: options.directory,
              environment: { SQL_PASSWORD: decodeURIComponent(password) },
              runAs: options.account,
            },
            SCHEMA_MS,
          );
      return 'temporal, temporal_visibility';
    },
  };
}

/** Ready is who knows the namespace; it is registered by the first who can. */
async function registerNamespace(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    const { namespaces } = await connection.workflowService.listNamespaces({});
    if (!namespaces.some(({ namespaceInfo }) => namespaceInfo?.name === NAMESPACE))
      await connection.workflowService.registerNamespace({
        namespace: NAMESPACE,
        workflowExecutionRetentionPeriod: { seconds: RETENTION_S as never },
      });
    await connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE });
    // As the development server has them from its start.
    await registerSearchAttributes(connection, NAMESPACE, pino({ level: 'silent' }));
    return true;
  } finally {
    await connection.close();
  }
}

/** JSON, which is YAML as well. */
function serverConfig(databaseUrl: string, ownHost: string, ports: readonly number[]): object {
  const { host, username, password } = new URL(databaseUrl);
  const sql = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: host,
      connectProtocol: 'tcp',
      user: username,
      password: decodeURIComponent(password),
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const service = (at: number) => ({
    rpc: {
      grpcPort: ports[2 * at],
      membershipPort: ports[2 * at + 1],
      bindOnIP: ownHost,
    },
  });
  const rpcAddress = `${ownHost}:${ports[0]}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: sql('temporal', 20), visibility: sql('temporal_visibility', 10) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: ownHost } },
    services: {
      frontend: service(0),
      matching: service(1),
      history: service(2),
      worker: service(3),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: rpcAddress },
  };
}
