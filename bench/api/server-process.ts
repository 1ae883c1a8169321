import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { foreignEnvironment } from '../../main/config/config.ts';
import { describeExit, startChild } from '../../main/embedded/child-process.ts';
import { boundLog, lastLines } from '../../main/embedded/log-files.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
const START_MS = 60_000;
const STOP_MS = 20_000;
const POLL_MS = 100;
// proc(5): utime and stime are in ticks, of which Linux has 100 a second everywhere that Node runs.
const TICK_MS = 10;

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

/** What is started: a program of this project. */
export type ServerProgram = {
  name: string;
  /** Its file and arguments. */
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  port: number;
  /** A path that is answered with 200 once it is up. */
  readyPath: string;
};

/**
 * Starts a server as a process of its own, with its log in a file, and waits until it answers.
 * The kernel ends it when this process dies.
 *
 * @throws Error with its last lines where it ends or does not answer, and the signal's reason
 */
export async function startServer(
  program: ServerProgram,
  logDir: string,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const { name, port, environment } = program;
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(logDir, `${name.replaceAll(/\W+/g, '-')}.log`);
  const child = await startChild(
    {
      file: process.execPath,
      args: ['--import', 'tsx', ...program.args],
      cwd: PROJECT_DIR,
      environment: { ...foreignEnvironment(), ...environment },
    },
    logFile,
    'SIGKILL',
  );
  let end: string | undefined;
  const exited = child.exited.then((exit) => (end = describeExit(exit)));
  const stop = async () => {
    child.signal('SIGTERM');
    const late = setTimeout(() => child.killGroup(), STOP_MS);
    await exited;
    clearTimeout(late);
  };
  const failure = (problem: string) =>
    new Error(`${name} ${problem}. Its last lines:\n${lastLines(logFile, 10).join('\n')}`);
  try {
    const deadlineMs = performance.now() + START_MS;
    while (!(await answers(url + program.readyPath))) {
      signal.throwIfAborted();
      if (end !== undefined) throw failure(end);
      if (performance.now() > deadlineMs) throw failure(`did not answer in ${START_MS / 1_000} s`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    url,
    exited,
    stop,
    cpuMs: () => cpuMs(child.identity.pid),
    boundLog: () => boundLog(logFile),
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // It does not listen yet.
    return false;
  }
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
