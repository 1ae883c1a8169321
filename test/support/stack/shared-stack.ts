import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { ADDRESSES_VARIABLE, type StackAddresses } from '../addresses.ts';
import { programArguments } from '../program.ts';

const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

/** The process of the test run's stack. */
let stack: ChildProcess | undefined;
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
  stack = started;
  for (const [signal, code] of Object.entries(INTERRUPTED))
    process.once(signal, () => void stopSharedStack().finally(() => process.exit(code)));
  const line = await Promise.race([
    once(createInterface({ input: started.stdout }), 'line').then(([text]) => String(text)),
    once(started, 'exit').then(() => undefined),
  ]);
  if (line === undefined) throw new Error('The stack that the tests need did not start.');
  started.unref();
  process.env[ADDRESSES_VARIABLE] = line;
  // Whatever the tests start is found by this, should they be killed before they end it.
  const addresses = JSON.parse(line) as StackAddresses;
  process.env[STACK_MARKER] = addresses.stateDir;
  process.env['TMPDIR'] = addresses.temporaryDir;
}

/** Ends what was started, and waits until nothing of it is left. */
export async function stopSharedStack(): Promise<void> {
  if (temporaryDir !== undefined) rmSync(temporaryDir, { recursive: true, force: true });
  if (!stack || stack.exitCode !== null) return;
  // Nothing else may be left to wait for, and node would end here, before jest tells what failed.
  stack.ref();
  const exited = once(stack, 'exit');
  stack.stdin?.end();
  await exited;
  if (stack.exitCode !== 0)
    throw new Error('The stack of the test run failed; see its last lines.');
}
