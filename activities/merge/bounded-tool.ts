import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { AirlineError } from '../../domain/errors.ts';
import { printable } from '../../domain/text/printable.ts';
import { TOOL_ENVIRONMENT } from '../../sandbox/command.ts';

/** What is kept of a tool's output. */
export const MAX_OUTPUT_BYTES = 1_048_576;
const MAX_SAID = 500;
/** With it ends coreutils' `timeout` where it had to end what it ran, and where something else killed that. */
const KILLED = 137;
const REMOTE_LINES = /^remote:[^\n]*/gm;
/** As git, diff and Perl say it. */
const OUT_OF_MEMORY = /out of memory|memory exhausted|cannot allocate memory/i;
/** As the C library says it of a disk, which other transfers fill as well. */
const DISK_FAULT = /no space left on device|disk quota exceeded|input\/output error/i;
/** Of its memory, what xz may take to compress: with fewer threads it needs less. */
const SHARE_OF_XZ = 0.75;

/** How far a tool may go. */
export type ToolBounds = {
  /** Of each file that it writes. */
  maxBytes: number;
  /** Memory that each of its processes may write to. */
  memoryBytes: number;
  /** Of each run. */
  maxMs: number;
  signal: AbortSignal;
};

/** What a tool came to. Of its output the first megabyte is kept. */
export type ToolResult = {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Of `stderr`, what the tool says itself: not what git passes on of a server, which may be any text. */
  errors: string;
  /** Of one that asks a server. */
  isTimedOut: boolean;
  isTooLarge: boolean;
};

export type RunTool = (
  program: string,
  args: readonly string[],
  options?: {
    directory?: string;
    /** Folder with programs that it finds before all others of their names. */
    programs?: string;
    /** A later try may take less time, then. */
    asksServer?: boolean;
  },
) => Promise<ToolResult>;

/**
 * Runs tools over what strangers wrote: each with an environment that says nothing of the worker's, without a terminal,
 * with a limit of time, of memory and of the size of each file that it writes. All of its processes end with it.
 *
 * @param home folder that the tools take for the user's own; they work there unless they are told where
 * @returns what runs one; it rejects with the signal's reason, with AirlineError `source_too_large` where it takes more
 * memory, with an ApplicationFailure that is not tried again where it takes more time and asks no server, with a plain
 * Error where the disk takes no more, where something else kills it, and where the program is not installed
 */
export function boundedTools(
  home: string,
  { maxBytes, memoryBytes, maxMs, signal }: ToolBounds,
): RunTool {
  return (program, args, { directory = home, programs, asksServer = false } = {}) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const begunAt = performance.now();
      const child = spawn(
        'timeout',
        [
          '--signal=KILL',
          String(maxMs / 1_000),
          'prlimit',
          `--fsize=${maxBytes}`,
          `--data=${memoryBytes}`,
          '--core=0',
          '--',
          program,
          ...args,
        ],
        {
          cwd: directory,
          // A group of its own, so that what it has started ends, too.
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...TOOL_ENVIRONMENT,
            ...(programs === undefined ? {} : { PATH: `${programs}:${TOOL_ENVIRONMENT.PATH}` }),
            HOME: home,
            TMPDIR: home,
            TZ: 'UTC',
            XZ_DEFAULTS: `--memlimit-compress=${Math.floor(memoryBytes * SHARE_OF_XZ)}`,
            GIT_CONFIG_NOSYSTEM: '1',
            GIT_CONFIG_GLOBAL: '/dev/null',
            GIT_ATTR_NOSYSTEM: '1',
            GIT_TERMINAL_PROMPT: '0',
            GIT_ASKPASS: '/bin/false',
            GIT_ALLOW_PROTOCOL: 'http:https',
            GIT_CEILING_DIRECTORIES: join(home, '..'),
          },
        },
      );
      const end = () => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
          process.kill(-child.pid, 'SIGKILL');
      };
      signal.addEventListener('abort', end, { once: true });
      const stdout = kept(child.stdout);
      const stderr = kept(child.stderr);
      child.on('error', reject);
      child.on('close', (code, killedBy) => {
        signal.removeEventListener('abort', end);
        if (signal.aborted) return reject(signal.reason as Error);
        const wasKilled = killedBy === 'SIGKILL' || code === KILLED;
        const isTimedOut = wasKilled && performance.now() - begunAt >= maxMs;
        if (wasKilled && !isTimedOut)
          return reject(new Error(`${program} was killed: the machine may have no memory left`));
        if (isTimedOut && !asksServer)
          return reject(
            ApplicationFailure.nonRetryable(
              `${program} took too long: more than ${maxMs} ms (AIRLINE_SOURCE_FILE_MS)`,
            ),
          );
        const text = stderr();
        const errors = text.replaceAll(REMOTE_LINES, '');
        const result = {
          exitCode: code ?? -1,
          stdout: stdout(),
          stderr: text,
          errors,
          isTimedOut,
          isTooLarge: killedBy === 'SIGXFSZ' || /file too large/i.test(errors),
        };
        if (code === 0) return resolve(result);
        if (DISK_FAULT.test(errors))
          return reject(
            new Error(`${program} could not write to the disk that has ${home}: ${said(result)}`),
          );
        if (OUT_OF_MEMORY.test(errors))
          return reject(
            new AirlineError(
              'source_too_large',
              `${program} takes more memory than ${memoryBytes} bytes (AIRLINE_MERGE_MEMORY_BYTES)`,
            ),
          );
        return resolve(result);
      });
    });
}

/** What a tool said last, on one line. */
export function said({ stderr, exitCode, isTimedOut }: ToolResult): string {
  if (isTimedOut) return 'it took too long (AIRLINE_SOURCE_FILE_MS)';
  const text = printable(stderr.trim()).replaceAll(/\s+/g, ' ');
  return text === '' ? `exit ${exitCode}` : text.slice(-MAX_SAID);
}

/** Reads a stream to its end, keeps its beginning, and gives that once it is asked. */
function kept(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
