import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandLine } from '../../cli/run-command-line.ts';
import type { CommandEnvironment } from '../../cli/environment.ts';
import { patientFetch } from '../../cli/server/patient-fetch.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What came of a call: what was printed and what it ended with. */
export type Called = { code: number; stdout: string; stderr: string };

export type World = Partial<Omit<CommandEnvironment, 'args' | 'stdin'>> & {
  stdin?: string;
  /** Whether standard output and error are a terminal. */
  isTerminal?: boolean;
  columns?: number;
};

/** What gpg says of the signatures that only look like one (write-upload.ts). */
export const GOOD_SIGNATURE = `[GNUPG:] GOODSIG 0123456789ABCDEF Ann Doe <ann@example.com>
[GNUPG:] VALIDSIG ${'0'.repeat(24)}0123456789ABCDEF 2026-01-01 0 0 4 0 1 10 01 ${'0'.repeat(24)}0123456789ABCDEF
`;

/** Runs the command in a world of the test's own: no home, no environment, nothing to talk to but what it names. */
export async function call(args: readonly string[], world: World = {}): Promise<Called> {
  const { stdin, isTerminal = false, columns = 80, ...replaced } = world;
  const stdout = collecting(isTerminal, columns);
  const stderr = collecting(isTerminal, columns);
  const code = await runCommandLine({
    args,
    env: {},
    stdin: Object.assign(Readable.from(stdin === undefined ? [] : [stdin]), {
      isTTY: false,
    }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    homeDirectory: temporaryDirectory(),
    version: '1.2.3',
    cloneDirectory: undefined,
    fetch: patientFetch,
    now: () => new Date(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    interruption: new AbortController().signal,
    runProgram: async () => 0,
    readProgram: async () => ({ code: 0, stdout: GOOD_SIGNATURE, stderr: '' }),
    ...replaced,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The same in a terminal, where standard output and error are one. */
export async function callInTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; screen: string }> {
  const { stream, text } = collecting(true, 80);
  const { code } = await call(args, { env, stdout: stream, stderr: stream });
  return { code, screen: text() };
}

/** @throws Error that holds what a call wrote, where it did not end with 0 */
export function assertDone({ code, stdout, stderr }: Called): void {
  if (code !== 0) throw new Error(`It ended with ${code}: ${stderr}${stdout}`);
}

/** A time that goes by while the command pauses, and as the test says. */
export function slowTime() {
  let timeMs = Date.parse('2026-01-01T00:00:00.000Z');
  const pass = (ms: number) => {
    timeMs += ms;
  };
  return { now: () => new Date(timeMs), sleep: async (ms: number) => pass(ms), pass };
}

/** A stream that keeps what is written to it, as a terminal or as a pipe. */
export function collecting(isTTY: boolean, columns: number) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  return { stream, text: () => text + ((stream.read() as string | null) ?? '') };
}

/** The lines of a stream of JSON documents. */
export function jsonLines<T = Record<string, unknown>>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
