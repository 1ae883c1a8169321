import { spawn } from 'node:child_process';
import { foreignEnvironment } from '../config/config.ts';

/**
 * Runs a program to its end.
 *
 * @returns what it wrote to its standard output
 * @throws Error with the end of its standard error where it fails or takes longer than the limit
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; environment?: Readonly<Record<string, string>>; limitMs?: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...foreignEnvironment(), LC_ALL: 'C.UTF-8', ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.limitMs ?? 300_000,
    });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else
        reject(
          new Error(
            `${command} ${args.join(' ')} ended with ${signal ?? code}:\n${complaint.trim()}`,
          ),
        );
    });
  });
}
