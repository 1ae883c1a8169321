import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Config } from 'jest';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { ADDRESSES_VARIABLE, type StackAddresses } from '../addresses.ts';

/** Test folders that need no stack: a run of these alone does not start one. */
const WITHOUT_STACK = /^(?:\.\/)?test\/(?:domain|diagnosis|import-table)/;
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

/** The process of the test run's stack, which global-teardown.ts ends. */
export const running: { stack?: ChildProcess } = ((
  globalThis as { testStack?: { stack?: ChildProcess } }
).testStack ??= {});

/** Starts the stack that the tests share, once for a test run; test/support/addresses.ts hands out its addresses. */
export default async function globalSetup({
  testPathPatterns,
}: { testPathPatterns: { patterns: string[] } } & Config): Promise<void> {
  const { patterns } = testPathPatterns;
  if (patterns.length > 0 && patterns.every((pattern) => WITHOUT_STACK.test(pattern))) return;
  const stack = spawn(process.execPath, ['--import', 'tsx', 'test/support/stack/run.ts'], {
    // In a session of its own, Ctrl-C does not reach it; it ends when our end of its input is closed.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.stack = stack;
  for (const [signal, code] of Object.entries(INTERRUPTED))
    process.once(signal, () => void stopStack().finally(() => process.exit(code)));
  const line = await Promise.race([
    once(createInterface({ input: stack.stdout }), 'line').then(([text]) => String(text)),
    once(stack, 'exit').then(() => undefined),
  ]);
  if (line === undefined) throw new Error('The stack that the tests need did not start.');
  stack.unref();
  process.env[ADDRESSES_VARIABLE] = line;
  // Whatever the tests start is found by this, should they be killed before they end it.
  const { stateDir, temporaryDir } = JSON.parse(line) as StackAddresses;
  process.env[STACK_MARKER] = stateDir;
  process.env['TMPDIR'] = temporaryDir;
}

/** Ends the stack and waits until nothing of it is left. */
export async function stopStack(): Promise<void> {
  const { stack } = running;
  if (!stack || stack.exitCode !== null) return;
  // Nothing else may be left to wait for, and node would end here, before jest tells what failed.
  stack.ref();
  const exited = once(stack, 'exit');
  stack.stdin?.end();
  await exited;
  if (stack.exitCode !== 0)
    throw new Error('The stack of the test run failed; see its last lines.');
}
