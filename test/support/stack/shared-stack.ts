import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { identify, processesWith, sendSignal } from '../../../main/embedded/process-table.ts';
import { endMarked, STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { ADDRESSES_VARIABLE, type StackAddresses } from '../addresses.ts';
import { programArguments } from '../program.ts';

const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;
const PAUSE_MS = 50;
/** More than its parts have to stop. */
const MAX_STOP_MS = 120_000;

/** The process of the test run's stack, and how it ends: its code, or the signal that killed it. */
let stack:
  | { process: ChildProcess; ended: Promise<[code: number | null, signal: NodeJS.Signals | null]> }
  | undefined;
/** Where the stack has its state, once it has started. */
let stateDir: string | undefined;
/** TMPDIR of a test run without a stack. */
let temporaryDir: string | undefined;

/** For a test run of unit tests alone: they have their temporary files where they will be removed. */
export function startWithoutStack(): void {
  temporaryDir = mkdtempSync(join(tmpdir(), 'airline-unit-tests-'));
  process.env['TMPDIR'] = temporaryDir;
}

/** Starts the stack that the tests share, once for a test run; test/support/addresses.ts hands out its addresses. */
export async function startSharedStack(): Promise<void> {
  const started = spawn(process.execPath, await programArguments('test/support/stack/run.ts'), {
    // In a session of its own, Ctrl-C does not reach it; it ends when our end of its input is closed.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // Heard from the start: it may end at any time, and node tells so once.
  const ended = once(started, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  stack = { process: started, ended };
  for (const [signal, code] of Object.entries(INTERRUPTED))
    process.on(signal, () => endInterrupted(started, code));
  const line = await Promise.race([
    once(createInterface({ input: started.stdout }), 'line').then(([text]) => String(text)),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error('The stack that the tests need did not start.');
  started.unref();
  process.env[ADDRESSES_VARIABLE] = line;
  // Whatever the tests start is found by this, should they be killed before they end it.
  const addresses = JSON.parse(line) as StackAddresses;
  stateDir = addresses.stateDir;
  process.env[STACK_MARKER] = stateDir;
  process.env['TMPDIR'] = addresses.temporaryDir;
}

/**
 * Ends the test run here and now: jest is given no moment in which it would start other processes for the files that
 * are left. They would make the folder anew that the stack removes.
 */
function endInterrupted(started: ChildProcess, code: number): never {
  started.kill('SIGTERM');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < MAX_STOP_MS; waitedMs += PAUSE_MS) {
    if (!identify(started.pid ?? 0)) break;
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  // Where something had killed the stack, all that it had is there.
  if (stateDir !== undefined) {
    for (const { pid } of processesWith(STACK_MARKER, stateDir)) sendSignal(pid, 'SIGKILL');
    rmSync(dirname(stateDir), { recursive: true, force: true, maxRetries: 10 });
  }
  process.exit(code);
}

/**
 * Ends what was started, and waits until nothing of it is left.
 *
 * @throws Error where the stack has failed since it started, or something has killed it
 */
export async function stopSharedStack(): Promise<void> {
  if (temporaryDir !== undefined) rmSync(temporaryDir, { recursive: true, force: true });
  if (!stack) return;
  // Nothing else may be left to wait for, and node would end here, before jest tells what failed.
  stack.process.ref();
  stack.process.stdin?.end();
  const [code, signal] = await stack.ended;
  // Whoever started one that did not start knows.
  if (code === 0 || stateDir === undefined) return;
  // What is killed leaves all that it had.
  await endMarked(stateDir);
  rmSync(dirname(stateDir), { recursive: true, force: true });
  throw new Error(
    signal === null
      ? 'The stack of the test run failed; see its last lines.'
      : `The stack of the test run was killed by ${signal}.`,
  );
}
