import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesWith } from '../main/embedded/process-table.ts';
import { STACK_MARKER } from '../main/embedded/stale-processes.ts';
import { waitUntil } from '../main/embedded/wait-until.ts';
import { BEGUN_VARIABLE } from './support/stack/endless.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

jest.setTimeout(180_000);

let run: ChildProcess | undefined;
afterEach(() => void run?.kill('SIGKILL'));

/** A test run in a process of its own: two files that never end, each in a process of jest's. */
async function startEndlessRun(): Promise<{ stateDir: string; runDirectory: string }> {
  const directory = temporaryDirectory();
  const begunDir = join(directory, 'begun');
  mkdirSync(begunDir);
  run = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      '--maxWorkers=2',
      '--testMatch=**/test/support/stack/endless-*.ts',
    ],
    { env: { ...process.env, [BEGUN_VARIABLE]: begunDir }, stdio: 'ignore' },
  );
  await waitUntil('the endless tests', () => readdirSync(begunDir).length === 2, {
    timeoutMs: 120_000,
  });
  const temporaryDir = readFileSync(join(begunDir, 'one'), 'utf8');
  const runDirectory = dirname(temporaryDir);
  return { runDirectory, stateDir: join(runDirectory, 'state') };
}

describe('a test run that is interrupted leaves nothing behind', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('by %s', async (signal) => {
    const { stateDir, runDirectory } = await startEndlessRun();
    const left = () => processesWith(STACK_MARKER, stateDir);
    // PostgreSQL, RabbitMQ, Temporal, two processes of jest's and what each test started.
    expect(left().length).toBeGreaterThan(8);
    expect(existsSync(runDirectory)).toBe(true);

    const ended = once(run as ChildProcess, 'exit');
    run?.kill(signal);
    await ended;
    await waitUntil(
      'the end of all that belongs to the test run',
      () => left().length === 0 && !existsSync(runDirectory),
      { timeoutMs: 60_000 },
    );
    expect(left()).toEqual([]);
  });
});

it('a test run with a test that fails is one that failed', async () => {
  run = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--testMatch=**/test/support/stack/failing.ts'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  run.stdout?.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(run, 'close')) as [number];
  expect(output).toContain('0 passed, 1 failed');
  expect(code).toBe(1);
});

it('a test run that cannot start its stack fails, and says so', async () => {
  run = spawn(process.execPath, ['node_modules/jest/bin/jest.js', 'test/main/logging'], {
    env: { ...process.env, AIRLINE_CACHE_DIR: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  run.stderr?.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(run, 'close')) as [number];
  expect(code).toBe(1);
  expect(output).toContain('The stack that the tests need did not start.');
});
