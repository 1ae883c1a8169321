import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import amqp from 'amqplib';
import { Client } from 'pg';
import { sourceUrlRule } from '../../../main/config/addresses.ts';
import { foreignEnvironment, loadConfig } from '../../../main/config/config.ts';
import type { Addresses } from '../../../main/embedded/environment.ts';
import { identify, isRunning, processesWith } from '../../../main/embedded/process-table.ts';
import { startStack } from '../../../main/embedded/stack.ts';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { waitUntil } from '../../../main/embedded/wait-until.ts';
import { stackAddresses } from '../../support/addresses.ts';
import { listeningPorts } from '../../support/processes.ts';
import { freePorts, portVariables } from '../../support/stack/free-ports.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { programArguments } from '../../support/program.ts';

const PART_OF_STACK = await programArguments('test/support/stack/part-of-stack.ts');

jest.setTimeout(600_000);

type Run = { process: ChildProcess; addresses: Promise<Addresses>; messages: () => string };

let environment: Record<string, string>;
let stateDir: string;
let runs: Run[];

beforeEach(async () => {
  const ports = await freePorts();
  stateDir = join(temporaryDirectory(), 'state');
  runs = [];
  environment = {
    ...foreignEnvironment(),
    AIRLINE_STATE_DIR: stateDir,
    AIRLINE_CACHE_DIR: stackAddresses().cacheDir,
    ...portVariables(ports),
  };
});
afterEach(async () => {
  await Promise.all(runs.map((run) => stop(run)));
});

function start(...parts: string[]): Run {
  const child = spawn(process.execPath, [...PART_OF_STACK, ...parts], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let messages = '';
  child.stderr.on('data', (text: Buffer) => (messages += text.toString()));
  const run: Run = {
    process: child,
    messages: () => messages,
    addresses: Promise.race([
      once(createInterface({ input: child.stdout }), 'line').then(
        ([line]) => JSON.parse(String(line)) as Addresses,
      ),
      once(child, 'close').then(() => Promise.reject(new Error(messages))),
    ]),
  };
  // Awaited where it matters; here it only must not be unhandled.
  run.addresses.catch(() => undefined);
  runs.push(run);
  return run;
}

async function stop({ process: child }: Run): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The process of a part. */
function pidOf(part: string): number {
  const file = readFileSync(join(stateDir, `run/${part}.json`), 'utf8');
  return (JSON.parse(file) as { pid: number }).pid;
}

const left = () => processesWith(STACK_MARKER, stateDir);

describe('after kill -9 of the supervisor', () => {
  it('the next start ends what was left, and no data is lost; where none follows, the kernel tells the parts', async () => {
    const parts = ['postgresql', 'rabbitmq', 'temporal'];
    const first = start(...parts);
    const { databaseUrl, amqpUrl, temporalAddress } = await first.addresses;
    await query(databaseUrl, 'CREATE TABLE kept (word text)');
    await query(databaseUrl, "INSERT INTO kept VALUES ('row')");
    const broker = await amqp.connect(amqpUrl);
    const channel = await broker.createConfirmChannel();
    await channel.assertQueue('kept', { durable: true });
    channel.sendToQueue('kept', Buffer.from('message'), { persistent: true });
    await channel.waitForConfirms();
    await broker.close();
    await startWorkflow(temporalAddress, 'kept');

    // Stopped, they can neither end by themselves nor be missed by the kernel's signal at our death.
    const pids = parts.map(pidOf);
    const identities = pids.map(identify);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    first.process.kill('SIGKILL');
    await once(first.process, 'close');
    expect(identities.every((identity) => identity && isRunning(identity))).toBe(true);
    for (const pid of pids) process.kill(pid, 'SIGCONT');

    const second = start(...parts);
    const addresses = await second.addresses;
    expect(identities.some((identity) => identity && isRunning(identity))).toBe(false);
    expect(await query(addresses.databaseUrl, 'SELECT word FROM kept')).toEqual([{ word: 'row' }]);
    const again = await amqp.connect(addresses.amqpUrl);
    const message = await (await again.createChannel()).get('kept', { noAck: true });
    expect(message && message.content.toString()).toBe('message');
    await again.close();
    expect(await workflowStatus(addresses.temporalAddress, 'kept')).toBe('RUNNING');

    expect(left().length).toBeGreaterThan(parts.length);
    second.process.kill('SIGKILL');
    await waitUntil('the end of the parts', () => left().length === 0, { timeoutMs: 120_000 });
    expect(left()).toEqual([]);
  });

  it('what hangs is killed', async () => {
    const first = start('postgresql');
    await first.addresses;
    const pid = pidOf('postgresql');
    process.kill(pid, 'SIGSTOP');
    first.process.kill('SIGKILL');
    await once(first.process, 'close');

    const second = start('postgresql');
    await second.addresses;
    expect(second.messages()).toContain(`ending what it left: postgresql (${pid})`);
  });
});

it('no port of Temporal that answers HTTP is fetched for a caller', async () => {
  await start('temporal').addresses;
  const ports = listeningPorts(pidOf('temporal'));
  const { refusedPorts } = sourceUrlRule(loadConfig(environment));
  const answering: number[] = [];
  for (const port of ports) {
    const asked = fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(60_000) });
    const isAnswered = await asked.then(
      () => true,
      () => false,
    );
    if (isAnswered) answering.push(port);
  }
  // Its Web UI, its HTTP API and its metrics. Its other ports speak gRPC alone.
  expect(answering).toHaveLength(3);
  expect(answering.filter((port) => !refusedPorts.includes(port))).toEqual([]);
});

it('a stack that was stopped can be stopped again', async () => {
  const config = loadConfig({ AIRLINE_STATE_DIR: stateDir });
  // None of its parts: what is stopped is the stack itself.
  const stack = await startStack({ config, report: () => undefined, only: [] });
  await stack.stop();
  await stack.stop();
  await (await startStack({ config, report: () => undefined, only: [] })).stop();
});

describe('a start is refused', () => {
  it('while the same state directory is in use', async () => {
    const first = start('postgresql');
    await first.addresses;
    await expect(start('postgresql').addresses).rejects.toThrow(
      `A stack is running already in ${stateDir} (process ${first.process.pid})`,
    );
    expect(left().length).toBeGreaterThan(0);
  });

  it('where a port is taken, before anything starts', async () => {
    const server = createServer().listen(Number(environment['AIRLINE_AMQP_PORT']), '127.0.0.1');
    await once(server, 'listening');
    try {
      const run = start('postgresql', 'rabbitmq');
      await expect(run.addresses).rejects.toThrow(
        /is taken by another program; AIRLINE_AMQP_PORT moves it/,
      );
      expect(run.messages()).not.toContain('ready');
      expect(run.process.exitCode).toBe(1);
    } finally {
      server.close();
    }
  });

  it('where the password of the database is lost', async () => {
    const first = start('postgresql');
    await first.addresses;
    await stop(first);
    expect(left()).toEqual([]);
    rmSync(join(stateDir, 'postgresql.password'));
    await expect(start('postgresql').addresses).rejects.toThrow('postgresql.password is missing');
  });
});

it('the death of one part stops the stack, and is told', async () => {
  const run = start('postgresql', 'temporal');
  await run.addresses;
  const { pid } = JSON.parse(readFileSync(join(stateDir, 'run/postgresql.json'), 'utf8')) as {
    pid: number;
  };
  process.kill(pid, 'SIGKILL');
  await once(run.process, 'close');
  expect(run.process.exitCode).toBe(1);
  expect(run.messages()).toMatch(
    /postgresql was killed by SIGKILL while the stack was running\.\nIts last log lines/,
  );
  expect(run.messages()).toContain('temporal stopped');
  expect(left()).toEqual([]);
});

async function withTemporal<T>(address: string, use: (client: TemporalClient) => Promise<T>) {
  const connection = await Connection.connect({ address });
  try {
    return await use(new TemporalClient({ connection }));
  } finally {
    await connection.close();
  }
}

const startWorkflow = (address: string, workflowId: string) =>
  withTemporal(address, (client) =>
    client.workflow.start('nobody', { taskQueue: 'nobody', workflowId }),
  );

const workflowStatus = (address: string, workflowId: string) =>
  withTemporal(address, async (client) => {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name;
  });
