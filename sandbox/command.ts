import { execFile } from 'node:child_process';

/** A command ended with another code than 0, or not in time. */
export class CommandFailed extends Error {
  readonly exitCode: number | null;
  readonly stdout: string;

  constructor(message: string, exitCode: number | null, stdout: string) {
    super(message);
    this.exitCode = exitCode;
    this.stdout = stdout;
  }
}

export type CommandOptions = {
  timeoutMs: number;
  cwd?: string;
  input?: string;
  /** Ends it before its time is over. */
  signal?: AbortSignal | undefined;
  /** Added to PATH and LC_ALL, which is all that a command gets else. */
  env?: Readonly<Record<string, string>>;
};

/** Where tools find their programs, no matter who started us. */
export const TOOL_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
};

/**
 * Runs a short command without a shell.
 *
 * @returns its standard output
 * @throws CommandFailed
 */
export function run(
  command: string,
  args: readonly string[],
  { timeoutMs, cwd, input, signal, env }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      {
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 256 * 2 ** 20,
        env: { ...TOOL_ENVIRONMENT, ...env },
        ...(cwd === undefined ? {} : { cwd }),
        ...(signal === undefined ? {} : { signal }),
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const exitCode = typeof error.code === 'number' ? error.code : null;
        const why = error.killed
          ? `not done within ${timeoutMs} ms`
          : exitCode === null
            ? error.message
            : `exit code ${exitCode}: ${stderr.trim().slice(-2_000)}`;
        return reject(new CommandFailed(`${command}: ${why}`, exitCode, stdout));
      },
    );
    // A command that ends before it has read everything says so by its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}
