import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleCommand } from '../../scripts/bundle-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Called } from './call.ts';

const run = promisify(execFile);
const LIMIT_MS = 300_000;
// Debian's own, whatever else is on the PATH.
const PYTHON = '/usr/bin/python3';

/** The command as it ships, built anew for the tests of a file. */
export type BuiltCommand = {
  path: string;
  /** Names of the files that it was made of. */
  inputs: string[];
  /**
   * Runs it with pipes.
   *
   * @param onOutput hears what standard output has so far, each time that there is more
   */
  inPipe: (
    args: readonly string[],
    environment?: Environment,
    stdin?: string,
    onOutput?: (stdout: string) => void,
  ) => Promise<Called>;
  /**
   * Runs it in a pseudo-terminal, where standard output and error are one.
   *
   * @param answers what is typed once a text has been shown
   * @param columns how wide the terminal is; 80 by default
   */
  inTerminal: (
    args: readonly string[],
    environment?: Environment,
    answers?: readonly { once: string; type: string }[],
    columns?: number,
  ) => Promise<{ code: number; screen: string }>;
};

type Environment = Readonly<Record<string, string>>;

/** Bundles the command into a folder of its own. */
export async function buildCommand(): Promise<BuiltCommand> {
  const directory = temporaryDirectory();
  const path = join(directory, 'airline.mjs');
  const { inputs } = await bundleCommand(path);
  const world = (given: Environment) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...given,
  });
  return {
    path,
    inputs: Object.keys(inputs),
    inPipe: async (args, environment = {}, stdin = '', onOutput = () => undefined) => {
      const child = spawn(process.execPath, [path, ...args], {
        env: world(environment),
        timeout: LIMIT_MS,
      });
      const called = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        called.stdout += text;
        onOutput(called.stdout);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (called.stderr += text));
      child.stdin.once('error', () => undefined).end(stdin);
      const code = await new Promise<number>((done) =>
        child.once('close', (code) => done(code ?? -1)),
      );
      return { code, ...called };
    },
    inTerminal: async (args, environment = {}, answers = [], columns = 80) =>
      runInTerminal([process.execPath, path, ...args], world(environment), answers, columns),
  };
}

/**
 * Runs a program in a pseudo-terminal.
 *
 * @param answers what is typed once a text has been shown
 * @param columns how wide the terminal is
 * @returns what it ended with, and all that it has written
 */
export async function runInTerminal(
  command: readonly string[],
  environment: Environment,
  answers: readonly { once: string; type: string }[],
  columns = 80,
): Promise<{ code: number; screen: string }> {
  const { stdout } = await run(
    PYTHON,
    [
      'test/cli/terminal.py',
      JSON.stringify({ command, answers, columns, limitS: LIMIT_MS / 1_000 }),
    ],
    { env: environment, maxBuffer: 16 * 2 ** 20 },
  );
  return JSON.parse(stdout) as { code: number; screen: string };
}
