import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTimeLimit } from '../../timing/time-limit.ts';
import { describeExit, startChild, type Child, type Command } from './child-process.ts';
import type { StartContext } from './part.ts';
import { PartFailure } from './part-failure.ts';
import { STACK_MARKER, type ProcessRecord } from './stale-processes.ts';

/** Whose stack it is (`stateDir`), and where pid files (`runDir`) and logs (`logDir`) go; all exist. */
export type StackDirectories = { stateDir: string; runDir: string; logDir: string };

/** The log of a part. */
export function logFileOf({ logDir }: StackDirectories, part: string): string {
  return join(logDir, `${part}.log`);
}

/**
 * Starts a process of a part: marked as one of this stack, with its log in a file, and with a record of it, so that a
 * later stack can end it where this one could not.
 *
 * @returns the process, and what removes the record
 */
export async function launch(
  directories: StackDirectories,
  name: string,
  command: Command,
  stopSignal: NodeJS.Signals,
): Promise<{ child: Child; forget: () => void }> {
  const marked = {
    ...command,
    environment: { ...command.environment, [STACK_MARKER]: directories.stateDir },
  };
  const child = await startChild(marked, logFileOf(directories, name), stopSignal);
  const record = join(directories.runDir, `${name}.json`);
  writeFileSync(
    record,
    JSON.stringify({ part: name, stopSignal, ...child.identity } satisfies ProcessRecord),
  );
  return { child, forget: () => rmSync(record, { force: true }) };
}

/** Makes what a part runs to its end before it starts, such as initdb. @returns `run` of its context */
export function createRun(
  directories: StackDirectories,
  name: string,
  signal: AbortSignal,
): StartContext['run'] {
  const failure = (what: string) => new PartFailure(name, what, logFileOf(directories, name));
  return async (command, timeoutMs) => {
    signal.throwIfAborted();
    const { child, forget } = await launch(directories, name, command, 'SIGTERM');
    const { exit, isLate } = await withTimeLimit({ ms: timeoutMs, signal }, async (limit) => {
      const end = () => child.killGroup();
      limit.addEventListener('abort', end);
      // It may have been aborted while the program was launched.
      if (limit.aborted) end();
      return { exit: await child.exited, isLate: limit.aborted };
    });
    child.killGroup();
    forget();
    signal.throwIfAborted();
    if (isLate) throw failure(`took longer than ${timeoutMs / 1_000} s`);
    if (exit.code !== 0)
      throw failure(`failed: ${[command.file, ...command.args].join(' ')} ${describeExit(exit)}`);
  };
}
