import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommandEnvironment } from '../../cli/environment.ts';

const run = promisify(execFile);

/** Runs programs for the command with a keyring. @param absent programs that this machine lacks */
export function readWithKeyring(
  gnupgHome: string,
  absent: readonly string[] = [],
): CommandEnvironment['readProgram'] {
  return readWith({ ...process.env, LC_ALL: 'C.UTF-8', GNUPGHOME: gnupgHome }, absent);
}

/** Runs programs for the command in an environment of the test's own. @param absent as readWithKeyring takes them */
export function readWith(
  env: NodeJS.ProcessEnv,
  absent: readonly string[] = [],
): CommandEnvironment['readProgram'] {
  return async (program, args, { cwd } = {}) => {
    if (absent.includes(program)) return undefined;
    return run(program, [...args], { env, cwd }).then(
      (said) => ({ code: 0, ...said }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );
  };
}
