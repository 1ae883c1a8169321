import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foreignEnvironment } from '../../main/config/config.ts';
import { describeExit, startChild } from '../../main/embedded/child-process.ts';
import { boundLog, lastLines } from '../../main/embedded/log-files.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { processTimeMs } from '../process-time.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
const READY_PATH = '/api/v1/ticket/1/';
const START_MS = 60_000;
const STOP_MS = 20_000;
const POLL_MS = 100;
const ANSWER_MS = 2_000;
// Nothing listens there: neither RabbitMQ nor Temporal is needed for tickets, and the API runs without them.
const NOWHERE = '127.0.0.1:9';

/** A server that is measured. */
export type ServerProcess = {
  name: string;
  url: string;
  /** How it ended. */
  exited: Promise<string>;
  /** Processor time that it has taken so far. */
  cpuMs: () => number;
  /** Empties its log where that has grown large. */
  boundLog: () => void;
  stop: () => Promise<void>;
};

/** What a server is started with; state and logs go into the directory. */
type ServerSetting = { name: string; databaseUrl: string; port: number; directory: string };

/** A program of this project: its file and arguments, and its environment. */
export type Program = {
  args: readonly string[];
  environment: (setting: ServerSetting) => Readonly<Record<string, string>>;
};

/** Airline's own API, as it ships: authentication off on loopback, every request logged. */
export const airline: Program = {
  args: ['main/api.ts'],
  environment: ({ name, databaseUrl, port, directory }) => ({
    AIRLINE_AUTH: 'off',
    AIRLINE_STATE_DIR: join(directory, name),
    AIRLINE_DATABASE_URL: databaseUrl,
    AIRLINE_AMQP_URL: `amqp://guest:guest@${NOWHERE}/`,
    AIRLINE_TEMPORAL_ADDRESS: NOWHERE,
    AIRLINE_API_PORT: String(port),
  }),
};

/** A server of bench/api. */
export const peer = (...args: readonly string[]): Program => ({
  args,
  environment: ({ databaseUrl, port }) => ({
    BENCH_DATABASE_URL: databaseUrl,
    BENCH_PORT: String(port),
  }),
});

/**
 * Starts a server as a process of its own, with its log in a file, and waits until it answers.
 * The kernel ends it when this process dies.
 *
 * @throws Error with its last lines where it ends, does not answer or is stopped
 */
export async function startServer(
  program: Program,
  setting: ServerSetting,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const { name, port, directory } = setting;
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(directory, `${name}.log`);
  const child = await startChild(
    {
      file: process.execPath,
      args: ['--import', 'tsx', ...program.args],
      cwd: PROJECT_DIR,
      environment: { ...foreignEnvironment(), ...program.environment(setting) },
    },
    logFile,
    'SIGKILL',
  );
  const ended = new AbortController();
  const exited = child.exited.then((exit) => {
    ended.abort(new Error(describeExit(exit)));
    return describeExit(exit);
  });
  const stop = async () => {
    child.signal('SIGTERM');
    const late = setTimeout(() => child.killGroup(), STOP_MS);
    await exited;
    clearTimeout(late);
  };
  const isReady = async () =>
    (await fetch(url + READY_PATH, { signal: AbortSignal.timeout(ANSWER_MS) })).status === 200;
  try {
    const either = AbortSignal.any([signal, ended.signal]);
    await waitUntil(name, isReady, { timeoutMs: START_MS, intervalMs: POLL_MS, signal: either });
  } catch (cause) {
    await stop();
    const lines = lastLines(logFile, 10).join('\n');
    throw new Error(`${name} did not start. Its last lines:\n${lines}`, { cause });
  }
  return {
    name,
    url,
    exited,
    stop,
    cpuMs: () => processTimeMs(child.identity.pid),
    boundLog: () => boundLog(logFile),
  };
}
