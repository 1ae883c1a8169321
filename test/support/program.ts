import { execFile, type ExecFileOptions } from 'node:child_process';
import { bundledProgram, bundleProgram } from '../../main/embedded/bundle-program.ts';

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
export function runProgram(
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
