import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '../../../main/config/config.ts';
import { createProgressPrinter } from '../../../main/embedded/terminal.ts';
import type { PartName, Progress } from '../../../main/embedded/part.ts';
import { startStack, type Stack } from '../../../main/embedded/stack.ts';
import { endMarked } from '../../../main/embedded/stale-processes.ts';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { migrate } from '../../../models/sql/migrate.ts';
import { directoryInMemory } from './directory-in-memory.ts';
import { freePorts, portVariables } from './free-ports.ts';
import { makeRunDirectory } from './run-directory.ts';
import { startTemporalCluster, type TemporalCluster } from './temporal-cluster.ts';
import { DATABASE_ONLY_VARIABLE, type StackAddresses } from '../addresses.ts';

/** The database that each test's own is a copy of. */
const TEMPLATE = 'airline_template';
const PARTS: PartName[] = ['postgresql', 'rabbitmq', 'workflow-bundle'];
/** For a test run whose tests need PostgreSQL alone. */
const withDatabaseOnly = process.env[DATABASE_ONLY_VARIABLE] === 'yes';
/** `cluster`: a Temporal server on PostgreSQL instead of the development server. */
const withCluster = process.env['TEST_TEMPORAL'] === 'cluster' && !withDatabaseOnly;

/*
 * The stack that all tests share, in a process of its own. It writes its addresses as one JSON line and
 * then waits for the end of its standard input, which comes also when the test run is killed: then it
 * stops everything, the test run's own processes included, and removes its files.
 */
const print = createProgressPrinter(process.stderr);
const interruption = new AbortController();
process.stdin.resume();
const end = new Promise<void>((resolve) => {
  process.stdin.once('close', resolve);
  // Ctrl-C is the test run's affair; it closes our input when it ends.
  process.on('SIGINT', () => undefined);
  // What stops all of a service at once may say so more than once: nothing is left half removed.
  process.on('SIGTERM', resolve);
});
void end.then(() => interruption.abort(new Error('the test run has ended')));

const directory = makeRunDirectory('airline-test-', directoryInMemory());
mkdirSync(join(directory, 'tmp'));
chmodSync(join(directory, 'tmp'), 0o1777);
const stateDir = join(directory, 'state');
let stack: Stack | undefined;
let cluster: TemporalCluster | undefined;
try {
  stack = await start();
  const { addresses } = stack;
  if (withCluster) cluster = await startCluster(stack);
  process.stdout.write(
    `${JSON.stringify({
      amqpUrl: addresses.amqpUrl,
      databaseServerUrl: addresses.databaseUrl.replace(/[^/]*$/, ''),
      databaseTemplate: TEMPLATE,
      temporalAddress: cluster?.address ?? addresses.temporalAddress,
      temporalUiUrl: addresses.temporalUiUrl ?? '',
      workflowBundle: stack.environment['AIRLINE_WORKFLOW_BUNDLE'] ?? '',
      cacheDir: stack.directories.cache,
      stateDir,
      temporaryDir: join(directory, 'tmp'),
    } satisfies StackAddresses)}\n`,
  );
  await Promise.race([end, stack.failed.then((failure) => Promise.reject(failure))]);
} catch (error) {
  if (!interruption.signal.aborted) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
} finally {
  await cluster?.stop();
  await stack?.stop();
  await endMarked(stateDir);
  rmSync(directory, { recursive: true, force: true });
  process.stdin.destroy();
}

async function start(): Promise<Stack> {
  const ports = await freePorts();
  const started = await startStack({
    config: loadConfig({
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !name.startsWith('AIRLINE_')),
      ),
      ...(process.env['AIRLINE_CACHE_DIR']
        ? { AIRLINE_CACHE_DIR: process.env['AIRLINE_CACHE_DIR'] }
        : {}),
      AIRLINE_STATE_DIR: stateDir,
      ...portVariables(ports),
    }),
    report,
    only: chosenParts(),
    durable: false,
    signal: interruption.signal,
  });
  await makeTemplate(started.addresses.databaseUrl);
  return started;
}

function chosenParts(): PartName[] {
  if (withDatabaseOnly) return ['postgresql'];
  return withCluster ? PARTS : [...PARTS, 'temporal'];
}

/** Quiet while all is well, so that the closing line of the test run is the last. */
function report(progress: Progress): void {
  if (progress.kind === 'note' || progress.kind === 'warning') print(progress);
}

function startCluster({ addresses, directories }: Stack): Promise<TemporalCluster> {
  const clusterDir = join(directory, 'temporal-cluster');
  mkdirSync(clusterDir);
  return startTemporalCluster({
    databaseUrl: addresses.databaseUrl,
    directory: clusterDir,
    cacheDir: directories.cache,
    projectDir: process.cwd(),
    account: unprivilegedUser(() => undefined),
    report,
  });
}

async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
  } finally {
    await client.end();
  }
  await migrate(url.replace(/[^/]*$/, TEMPLATE));
}
