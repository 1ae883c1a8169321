import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../main/config/config.ts';
import { processesWith, sendSignal } from '../../main/embedded/process-table.ts';
import { STACK_MARKER } from '../../main/embedded/stale-processes.ts';
import { startStack, type Stack } from '../../main/embedded/stack.ts';
import { stackAddresses } from './addresses.ts';
import { controlEnvironment, rabbitmqctl } from './rabbitmqctl.ts';
import { freePorts } from './stack/free-ports.ts';

/** A RabbitMQ node of a test's own, which it can kill. */
export type OwnBroker = {
  url: string;
  /** Ends the node with SIGKILL, as a machine that loses its power does. */
  kill(): Promise<void>;
  /** Starts it again, on what it had on disk. @param environment as that of `startOwnBroker`: the node reads it anew */
  start(environment: Record<string, string>): Promise<void>;
  /** Runs rabbitmqctl on the node. @returns what it prints */
  control(...args: string[]): Promise<string>;
  /** The environment in which rabbitmqctl finds the node, by the name `airline@localhost`. */
  controlEnvironment: Readonly<Record<string, string>>;
  /** @throws Error where a process of the node is left */
  stop(): Promise<void>;
};

/** @param environment `AIRLINE_` variables, such as the limits of queues */
export async function startOwnBroker(environment: Record<string, string>): Promise<OwnBroker> {
  const directory = mkdtempSync(join(tmpdir(), 'airline-broker-'));
  chmodSync(directory, 0o755);
  const { amqp } = await freePorts();
  let stack: Stack | undefined;
  const start = async (variables: Record<string, string>) => {
    stack = await startStack({
      config: loadConfig({
        AIRLINE_STATE_DIR: join(directory, 'state'),
        AIRLINE_CACHE_DIR: stackAddresses().cacheDir,
        AIRLINE_AMQP_PORT: String(amqp),
        ...variables,
      }),
      report: () => undefined,
      only: ['rabbitmq'],
      durable: false,
    });
  };
  const environmentOfControl = controlEnvironment(join(directory, 'state'), amqp);
  const processes = ({ directories }: Stack) => processesWith(STACK_MARKER, directories.state);
  await start(environment);
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
    control: (...args) => rabbitmqctl(environmentOfControl, ...args),
    controlEnvironment: environmentOfControl,
    async stop() {
      await stack?.stop();
      const left = stack ? processes(stack) : [];
      if (left.length > 0)
        throw new Error(`RabbitMQ was stopped, but ${left.map(({ pid }) => pid).join(', ')} run.`);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
