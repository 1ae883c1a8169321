import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rabbitmqPorts } from '../../main/config/rabbitmq-ports.ts';

const execute = promisify(execFile);
/** To start it takes 4 s of a processor. */
const CONTROL_MS = 300_000;

/**
 * The environment in which rabbitmqctl finds a node that a stack of ours has started, by the name `airline@localhost`.
 *
 * @param stateDir of the stack
 * @param port of the node for its clients
 */
export function controlEnvironment(stateDir: string, port: number): Record<string, string> {
  const home = join(stateDir, 'rabbitmq');
  return {
    PATH: '/usr/lib/rabbitmq/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: home,
    ERL_EPMD_PORT: String(rabbitmqPorts(port).names),
    RABBITMQ_NODENAME: 'airline@localhost',
    RABBITMQ_CONF_ENV_FILE: join(home, 'rabbitmq-env.conf'),
  };
}

/**
 * Runs rabbitmqctl.
 *
 * @param env that of `controlEnvironment`
 * @returns what it prints
 * @throws Error where it fails
 */
export async function rabbitmqctl(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const { stdout } = await execute('rabbitmqctl', args, {
    timeout: CONTROL_MS,
    // At SIGTERM it ends with 0 without having done anything.
    killSignal: 'SIGKILL',
    env,
  });
  return stdout;
}
