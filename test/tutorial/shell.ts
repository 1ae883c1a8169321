import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';

export type Shell = {
  /**
   * Types a command and waits for its end.
   *
   * @returns what it printed, standard error included
   * @throws Error where it takes longer than the limit, or the shell ends
   */
  run: (command: string) => Promise<string>;
  /**
   * Types a command that goes on, and waits until it has printed this.
   *
   * @returns what it has printed by then
   */
  runUntil: (command: string, text: string) => Promise<string>;
  /** Sends Ctrl-C to all that runs in it, and waits for the end of the shell. */
  end: () => Promise<void>;
};

/** Opens a shell as a reader of a page does: what a command sets is there for the next one. */
export function openShell(options: {
  directory: string;
  environment: NodeJS.ProcessEnv;
  limitMs: number;
}): Shell {
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: options.directory,
    env: options.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that Ctrl-C reaches what runs in it and nothing else.
    detached: true,
  });
  let printed = '';
  let look = () => {};
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      look();
    });
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));

  async function until<T>(command: string, find: () => T | undefined): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        look = () => {
          const found = find();
          if (found !== undefined) resolve(found);
        };
        timer = setTimeout(
          () => reject(new Error(`${command} took more than ${options.limitMs} ms.\n${printed}`)),
          options.limitMs,
        );
        void ended.then(() => reject(new Error(`${command} ended its shell.\n${printed}`)));
        look();
      });
    } finally {
      clearTimeout(timer);
      look = () => {};
    }
  }

  return {
    run: async (command) => {
      const mark = randomUUID();
      printed = '';
      // The next command can ask for the exit status of this one.
      shell.stdin.write(
        `${command}\n{ __status=$?; echo ${mark}; (exit $__status); } 2>/dev/null\n`,
      );
      return until(command, () => {
        const at = printed.indexOf(mark);
        return at === -1 ? undefined : printed.slice(0, at);
      });
    },
    runUntil: async (command, text) => {
      printed = '';
      shell.stdin.write(`${command}\n`);
      return until(command, () =>
        printed.includes(text) ? printed.slice(0, printed.indexOf(text) + text.length) : undefined,
      );
    },
    end: async () => {
      interrupt(shell);
      shell.stdin.end();
      await ended;
    },
  };
}

function interrupt({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  process.kill(-pid, 'SIGINT');
}
