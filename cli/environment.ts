import type { Readable, Writable } from 'node:stream';

type Terminal = { readonly isTTY?: boolean; readonly columns?: number };

/** All that a command has of the world around it, so that a test can be that world. */
export type CommandEnvironment = {
  /** What follows the command's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & Terminal;
  readonly stderr: Writable & Terminal;
  /** Undefined or empty where the user has none. */
  readonly homeDirectory: string | undefined;
  readonly version: string;
  /** The clone that the command was built in; undefined if it was not built in one. */
  readonly cloneDirectory: string | undefined;
  /** Its own limits are no shorter than those of the requests. */
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  /** Resolves after so many milliseconds; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborts at Ctrl-C; at another signal with an Interrupted as its reason, which says what to end with. */
  readonly interruption: AbortSignal;
  /** Runs a program on this terminal. @returns its exit code, 130 where a signal ended it */
  readonly runProgram: (
    command: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<number>;
  /**
   * Runs a program and reads what it prints.
   *
   * @returns undefined where there is no such program
   * @throws Interrupted after an interruption, which ends the program, too
   */
  readonly readProgram: (
    command: string,
    args: readonly string[],
    options?: { readonly cwd?: string },
  ) => Promise<
    { readonly code: number; readonly stdout: string; readonly stderr: string } | undefined
  >;
};
