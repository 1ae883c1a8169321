import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../main/config/config.ts';
import { processesWith, sendSignal } from '../../main/embedded/process-table.ts';
import { rabbitmqPorts } from '../../main/config/rabbitmq-ports.ts';
import { STACK_MARKER } from '../../main/embedded/stale-processes.ts';
import { startStack, type Stack } from '../../main/embedded/stack.ts';
import { stackAddresses } from './addresses.ts';
import { freePorts } from './stack/free-ports.ts';

/** A RabbitMQ node of a test's own, which it can kill. */
export type OwnBroker = {
  url: string;
  /** Ends the node with SIGKILL, as a machine that loses its power does. */
  kill(): Promise<void>;
  /** Starts it again, on what it had on disk. */
  start(): Promise<void>;
  /** Runs rabbitmqctl on the node. @returns what it prints */
  control(...args: string[]): Promise<string>;
  /** The environment in which rabbitmqctl finds the node, by the name `airline@localhost`. */
  controlEnvironment: Readonly<Record<string, string>>;
  /** A user who may do everything. */
  addUser(name: string, password: string): Promise<void>;
  /** @throws Error where a process of the node is left */
  stop(): Promise<void>;
};

const execute = promisify(execFile);
/** To start it takes 4 s of a processor. */
const CONTROL_MS = 300_000;

/** @param environment `AIRLINE_` variables, such as the limits of queues */
export async function startOwnBroker(environment: Record<string, string> = {}): Promise<OwnBroker> {
  const directory = mkdtempSync(join(tmpdir(), 'airline-broker-'));
  chmodSync(directory, 0o755);
  const { amqp } = await freePorts();
  const config = loadConfig({
    AIRLINE_STATE_DIR: join(directory, 'state'),
    AIRLINE_CACHE_DIR: stackAddresses().cacheDir,
    AIRLINE_AMQP_PORT: String(amqp),
    ...environment,
  });
  let stack: Stack | undefined;
  const start = async () => {
    stack = await startStack({
      config,
      report: () => undefined,
      only: ['rabbitmq'],
      durable: false,
    });
  };
  const home = join(directory, 'state', 'rabbitmq');
  const controlEnvironment = {
    PATH: '/usr/lib/rabbitmq/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: home,
    ERL_EPMD_PORT: String(rabbitmqPorts(amqp).names),
    RABBITMQ_NODENAME: 'airline@localhost',
    RABBITMQ_CONF_ENV_FILE: join(home, 'rabbitmq-env.conf'),
  };
  const control = async (...args: string[]) =>
    (
      await execute('rabbitmqctl', args, {
        timeout: CONTROL_MS,
        // At SIGTERM it ends with 0 without having done anything.
        killSignal: 'SIGKILL',
        env: controlEnvironment,
      })
    ).stdout;
  const processes = ({ directories }: Stack) => processesWith(STACK_MARKER, directories.state);
  await start();
  return {
    url: stack?.addresses.amqpUrl ?? '',
    start,
    async kill() {
      const killed = stack;
      if (!killed) throw new Error('the broker does not run');
      stack = undefined;
      const nodes = processes(killed).filter(({ pid }) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('beam'),
      );
      if (nodes.length === 0) throw new Error('found no process of the broker');
      for (const { pid } of nodes) sendSignal(pid, 'SIGKILL');
      await killed.failed;
    },
    control,
    controlEnvironment,
    async addUser(name, password) {
      await control('add_user', name, password);
      await control('set_permissions', name, '.*', '.*', '.*');
    },
    async stop() {
      await stack?.stop();
      const left = stack ? processes(stack) : [];
      if (left.length > 0)
        throw new Error(`RabbitMQ was stopped, but ${left.map(({ pid }) => pid).join(', ')} run.`);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
