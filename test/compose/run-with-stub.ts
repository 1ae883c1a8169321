import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Runs commands of a page in a folder, as a shell takes them that somebody types into, with a stub of one program.
 *
 * @param directory where they run; the stub keeps its own files there
 * @param commands as they stand on the page
 * @param stub the program's name, and what it does instead, for `sh`
 * @returns whether the last command succeeded, what the stub was called with, a line for each call, and how it failed
 */
export async function runWithStub(
  directory: string,
  commands: string,
  { name, script }: { name: string; script: string },
): Promise<{ hasSucceeded: boolean; calls: string[]; fault: string }> {
  const bin = join(directory, 'bin');
  const log = join(directory, 'calls');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  const fault = await execute('bash', ['-c', commands], {
    cwd: directory,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  }).then(
    () => undefined,
    ({ code, stderr }: { code: unknown; stderr: string }) => `${String(code)}: ${stderr}`,
  );
  const calls = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  return { hasSucceeded: fault === undefined, calls, fault: fault ?? '' };
}
