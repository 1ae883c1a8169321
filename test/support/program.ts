import { execFile, type ExecFileOptions } from 'node:child_process';
import { resolve } from 'node:path';
import { bundledProgram, bundleProgram } from '../../main/embedded/bundle-program.ts';
import type { BundledCall, Ended } from './consecutive-calls.ts';

const made = new Map<string, Promise<void>>();

/**
 * Bundles a program of ours, once for a process: it has loaded the modules that it tests only once, too.
 *
 * @param path of its main module, below the project's directory
 */
export function makeProgram(path: string): Promise<void> {
  const making = made.get(path) ?? bundleProgram(process.cwd(), path);
  made.set(path, making);
  return making;
}

/**
 * Arguments with which Node starts a program of ours, as a part of `npm start` is started.
 *
 * @param path of its main module, below the project's directory
 */
export async function programArguments(path: string): Promise<string[]> {
  await makeProgram(path);
  return bundledProgram(process.cwd(), path);
}

/**
 * Runs a program on Node to its end, whatever that is.
 *
 * @param args of Node: the program's own begin with those of `programArguments`
 */
export function runProgram(args: readonly string[], options: ExecFileOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/**
 * Calls programs of ours one after the other in a process that they share: to load one takes up to two seconds, and
 * most load the same. For calls that end soon, and that need not show how Node ends a process.
 *
 * @param calls with the path of the program as `programArguments` takes it, and its whole environment (by default ours)
 * @returns what came of each, in their order
 * @throws Error where one ends by a fault that it has not foreseen
 */
export async function runConsecutively(
  calls: readonly { program: string; args: readonly string[]; env?: NodeJS.ProcessEnv }[],
): Promise<Ended[]> {
  const bundled = await Promise.all(
    calls.map(async ({ program, args, env = process.env }) => {
      const path = resolve((await programArguments(program)).at(-1) ?? '');
      return { path, args, env } as BundledCall;
    }),
  );
  const caller = await programArguments('test/support/consecutive-calls.ts');
  const { code, stdout, stderr } = await runProgram([...caller, JSON.stringify(bundled)]);
  if (code !== 0 || stderr !== '') throw new Error(`The calls ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Ended[];
}
