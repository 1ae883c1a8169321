import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { asUser } from '../../sandbox/unprivileged.ts';
import { openLog } from './log-files.ts';
import { identify, sendSignal, type ProcessIdentity } from './process-table.ts';
import type { Account } from './unprivileged-user.ts';

/** A program to run as a part of the stack. */
export type Command = {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment. */
  environment: Readonly<Record<string, string>>;
  /** The user to run as; unset: ours. */
  runAs?: Account | undefined;
  /** A program that starts it in its own place, such as nsenter, with its arguments. */
  within?: readonly string[];
};

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Child = {
  identity: ProcessIdentity;
  exited: Promise<Exit>;
  signal: (signal: NodeJS.Signals) => void;
  /** Kills what is left of its process group. */
  killGroup: () => void;
};

/**
 * Starts a program in a process group of its own, so that Ctrl-C on the terminal reaches only us, with
 * its output in a log file, which outlives us.
 *
 * @param deathSignal what the kernel sends it when we die without having stopped it
 */
export async function startChild(
  command: Command,
  logFile: string,
  deathSignal: NodeJS.Signals,
): Promise<Child> {
  const { runAs } = command;
  const log = openLog(logFile);
  try {
    const become = ['setpriv', '--pdeathsig', deathSignal.slice(3), ...asUser(runAs), '--'];
    const [file, ...args] = [...(command.within ?? []), ...become, command.file];
    const child = spawn(file, [...args, ...command.args], {
      cwd: command.cwd,
      env: command.environment,
      detached: true,
      stdio: ['ignore', log, log],
    });
    const exited = new Promise<Exit>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child.pid as number));
    });
    return {
      identity: identify(pid) ?? { pid, startTicks: 0, bootId: '' },
      exited,
      signal: (signal) => void (child.exitCode === null && child.kill(signal)),
      killGroup: () => void sendSignal(-pid, 'SIGKILL'),
    };
  } finally {
    closeSync(log);
  }
}

/** What an exit looks like in a sentence. */
export function describeExit({ code, signal }: Exit): string {
  return signal ? `was killed by ${signal}` : `exited with code ${code}`;
}
