import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { processesWith, sendSignal } from '../main/embedded/process-table.ts';
import { STACK_MARKER } from '../main/embedded/stale-processes.ts';
import { waitUntil } from '../main/embedded/wait-until.ts';
import { DATABASE_ONLY_VARIABLE } from './support/addresses.ts';
import { BEGUN_VARIABLE } from './support/stack/endless.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

jest.setTimeout(900_000);

/** A stack of PostgreSQL alone, where nothing is asked of the others. */
const DATABASE_ONLY = { [DATABASE_ONLY_VARIABLE]: 'yes' };

/** Has jest look for tests there alone, and not among all files of the project. */
const rootedAt = (path: string) => `--roots=${path}`;

/** So many that jest has another to start after each that ends with its process. */
const ENDLESS_FILES = 8;

const runs: ChildProcess[] = [];
afterAll(() => runs.forEach((run) => run.kill('SIGKILL')));

/** Starts a test run in a process of its own. They wait more than they compute, so the tests below run side by side. */
function startRun(args: readonly string[], options: SpawnOptions): ChildProcess {
  const run = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...args], options);
  runs.push(run);
  return run;
}

/** How a run ends, and what it said there until then. */
async function endOf(
  run: ChildProcess,
  stream: 'stdout' | 'stderr',
): Promise<{ code: number; output: string }> {
  let output = '';
  run[stream]?.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(run, 'close')) as [number];
  return { code, output };
}

/** Files that never end: one in each of jest's two processes, and others that wait for their turn. */
async function startEndlessRun(): Promise<{
  run: ChildProcess;
  stateDir: string;
  runDirectory: string;
}> {
  const directory = temporaryDirectory();
  const begunDir = join(directory, 'begun');
  mkdirSync(begunDir);
  const declaring = resolve('test/support/stack/endless.ts');
  for (let number = 1; number <= ENDLESS_FILES; number++)
    writeFileSync(
      join(directory, `endless-${number}.mts`),
      `import { declareEndlessTest } from '${declaring}';\ndeclareEndlessTest('${number}');\n`,
    );
  const run = startRun(['--maxWorkers=2', rootedAt(directory), '--testMatch=**/endless-*.mts'], {
    env: { ...process.env, ...DATABASE_ONLY, [BEGUN_VARIABLE]: begunDir },
    stdio: 'ignore',
  });
  const told = () =>
    readdirSync(begunDir).map((name) => readFileSync(join(begunDir, name), 'utf8'));
  // A file is there a moment before its text.
  await waitUntil('the endless tests', () => told().filter(Boolean).length === 2, {
    timeoutMs: 400_000,
  });
  const [temporaryDir = ''] = told();
  const runDirectory = dirname(temporaryDir);
  return { run, runDirectory, stateDir: join(runDirectory, 'state') };
}

function childrenOf({ pid }: ChildProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** Empty where the process is gone. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

describe('a test run that is interrupted leaves nothing behind', () => {
  // PostgreSQL stands for all parts of the stack: it is told in one way only, and each part has the marker
  // (test/main/embedded/stack.test.ts).
  it.concurrent.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('by %s', async (signal) => {
    const { run, stateDir, runDirectory } = await startEndlessRun();
    const left = () => processesWith(STACK_MARKER, stateDir);
    // PostgreSQL, two processes of jest's and what each test started.
    expect(left().length).toBeGreaterThanOrEqual(5);
    expect(existsSync(runDirectory)).toBe(true);

    const ended = once(run, 'exit');
    const before = childrenOf(run);
    const startedThen: string[] = [];
    run.kill(signal);
    await waitUntil(
      'the end of all that belongs to the test run',
      () => {
        // What is killed starts nothing; while it ends, the list of its children changes all the same (proc(5)).
        if (signal !== 'SIGKILL' && run.exitCode === null && run.signalCode === null)
          for (const pid of childrenOf(run))
            if (!before.includes(pid)) startedThen.push(`${pid} ${commandLineOf(pid)}`);
        // Some tell each process of a run that it shall end, and tell it again.
        if (signal === 'SIGTERM') for (const pid of before) sendSignal(pid, signal);
        return left().length === 0 && !existsSync(runDirectory);
      },
      { timeoutMs: 400_000 },
    );
    await ended;
    // A process that jest starts then outlives the stack, and makes the folder anew.
    expect(startedThen).toEqual([]);
    expect(left()).toEqual([]);
  });
});

it.concurrent('a test run with a test that fails is one that failed', async () => {
  const run = startRun([rootedAt('test/support/stack'), '--testMatch=**/failing.ts'], {
    env: { ...process.env, ...DATABASE_ONLY },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { code, output } = await endOf(run, 'stdout');
  expect(output).toContain('0 passed, 1 failed');
  expect(code).toBe(1);
});

it.concurrent(
  'a test run whose stack is killed has failed, says so, and leaves nothing',
  async () => {
    const run = startRun([rootedAt('test/support/stack'), '--testMatch=**/killing.ts'], {
      env: { ...process.env, ...DATABASE_ONLY },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { code, output } = await endOf(run, 'stderr');
    expect(output).toContain('1 failed, 1 total');
    expect(code).toBe(1);
    expect(output).toContain('The stack of the test run was killed by SIGKILL.');
    const [, stateDir = ''] = /state in (\S+),/.exec(output) ?? [];
    expect(processesWith(STACK_MARKER, stateDir)).toEqual([]);
    expect(stateDir).toMatch(/^\/.*\/state$/);
    expect(existsSync(dirname(stateDir))).toBe(false);
  },
);

it.concurrent('a test run that cannot start its stack fails, and says so', async () => {
  const run = startRun(['test/main/config/logging', rootedAt('test/main/config')], {
    env: { ...process.env, AIRLINE_CACHE_DIR: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, output } = await endOf(run, 'stderr');
  expect(code).toBe(1);
  expect(output).toContain('The stack that the tests need did not start.');
});

it.concurrent('unit tests alone run of the files that were asked for', async () => {
  const run = spawn(
    'npm',
    ['run', '--silent', 'test:unit', '--', '--listTests', 'test/web', 'test/domain/packages/ppa'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  runs.push(run);
  const { code, output } = await endOf(run, 'stdout');
  expect(code).toBe(0);
  const files = output
    .trim()
    .split('\n')
    .map((path) => relative('.', path));
  expect(files).toContain('test/web/format.test.ts');
  expect(files).toContain('test/domain/packages/ppa.test.ts');
  expect(files).not.toContain('test/web/pages.test.ts');
  expect(files.filter((path) => !/^test\/(web|domain\/packages\/ppa)/.test(path))).toEqual([]);
});
