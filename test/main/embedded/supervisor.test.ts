import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, Progress, Service } from '../../../main/embedded/part.ts';
import { identify, isRunning, processesWith } from '../../../main/embedded/process-table.ts';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { PartFailure } from '../../../main/embedded/part-failure.ts';
import { createSupervisor } from '../../../main/embedded/supervisor.ts';
import { waitUntil } from '../../../main/embedded/wait-until.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let events: Progress[];
let supervisor: ReturnType<typeof createSupervisor>;

beforeEach(() => {
  directory = temporaryDirectory();
  events = [];
  for (const name of ['run', 'logs']) mkdirSync(join(directory, name));
  supervisor = createSupervisor(
    { stateDir: directory, runDir: join(directory, 'run'), logDir: join(directory, 'logs') },
    (progress) => events.push(progress),
  );
});
afterEach(() => supervisor.stop());

const trail = () => events.map(({ part, kind }) => `${part} ${kind}`);
const readyFile = (name: string) => join(directory, `${name}.ready`);

/** A service that runs a shell script; it is ready when it has made its file. */
const service = (
  name: string,
  needs: string[] = [],
  script = 'touch "$READY"; exec sleep 600',
): Service => ({
  kind: 'service',
  name,
  needs,
  command: () => ({
    file: 'sh',
    args: ['-c', script],
    cwd: '/',
    environment: { PATH: '/usr/bin:/bin', READY: readyFile(name) },
  }),
  isReady: () => Promise.resolve(existsSync(readyFile(name))),
  startTimeoutMs: 60_000,
  stopSignal: 'SIGTERM',
  stopTimeoutMs: 60_000,
  summary: () => 'up',
});
/** A script that is ready once another part has been started too. */
const meeting = (other: string) =>
  `touch "$READY.started"; while [ ! -e "${readyFile(other)}.started" ]; do sleep 0.02; done; touch "$READY"; exec sleep 600`;
const pidOf = (name: string): number =>
  (JSON.parse(readFileSync(join(directory, `run/${name}.json`), 'utf8')) as { pid: number }).pid;
const failureOf = (parts: Part[], signal?: AbortSignal): Promise<Error> =>
  supervisor.start(parts, signal).then(
    () => Promise.reject(new Error('it started')),
    (error: Error) => error,
  );

it('starts a part after those it needs, and stops it before them', async () => {
  const step: Part = {
    kind: 'step',
    name: 'schema',
    needs: ['database'],
    perform: async () => (existsSync(readyFile('database')) ? 'applied' : 'too early'),
  };
  await supervisor.start([
    service(
      'api',
      ['schema', 'broker'],
      'trap "sleep 0.3; exit 0" TERM; touch "$READY"; while :; do sleep 0.05; done',
    ),
    step,
    service('broker'),
    service('database'),
  ]);
  expect(trail().at(-1)).toBe('api ready');
  expect(events.find(({ part }) => part === 'schema')?.text).toBe('applied');
  events = [];
  await supervisor.stop();
  expect(trail()[0]).toBe('api stopped');
  expect(trail().toSorted()).toEqual(['api stopped', 'broker stopped', 'database stopped']);
  expect(readdirSync(join(directory, 'run'))).toEqual([]);
});

it('starts parts that do not need each other at the same time', async () => {
  await supervisor.start([service('one', [], meeting('two')), service('two', [], meeting('one'))]);
  expect(trail().toSorted()).toEqual(['one ready', 'two ready']);
});

it('does not wait for a need that is elsewhere', async () => {
  await supervisor.start([service('api', ['database'])]);
  expect(trail()).toEqual(['api ready']);
});

it('says which part ended by itself, and its last log lines', async () => {
  await supervisor.start([
    service(
      'worker',
      [],
      'touch "$READY"; while [ -e "$READY" ]; do sleep 0.02; done; echo out of memory; exit 7',
    ),
  ]);
  rmSync(readyFile('worker'));
  const failure = await supervisor.failed;
  expect(failure).toBeInstanceOf(PartFailure);
  expect(failure.part).toBe('worker');
  expect(failure.message).toMatch(
    /^worker exited with code 7 while the stack was running\.\n.*worker\.log\):\n {2}out of memory$/,
  );
});

it('stops what was started when a part does not start, and says why', async () => {
  const failure = await failureOf([
    service('database'),
    service('api', ['database'], 'echo no such file >&2; exit 3'),
  ]);
  expect(failure.message).toMatch(/^api exited with code 3 instead of starting\.[^]*no such file$/);
  expect(trail()).toEqual(['database ready', 'database stopped']);
  expect(processesWith(STACK_MARKER, directory)).toEqual([]);
});

it('says what a part advises where its program ends instead of starting', async () => {
  const failure = await failureOf([
    { ...service('broker', [], 'echo refused >&2; exit 1'), advice: () => 'Move it away.' },
  ]);
  expect(failure.message).toMatch(
    /^broker exited with code 1 instead of starting\.\nMove it away\.\n[^]*refused$/,
  );
});

it('gives up on a part that is not ready in time', async () => {
  const failure = await failureOf([
    { ...service('api', [], 'exec sleep 600'), startTimeoutMs: 200 },
  ]);
  expect(failure.message).toMatch(/^api did not start: .*within 0\.2 s/);
  expect(processesWith(STACK_MARKER, directory)).toEqual([]);
});

it('says when the program of a part does not exist', async () => {
  const absent = service('api');
  const failure = await failureOf([
    { ...absent, command: () => ({ ...absent.command(), file: '/nonexistent/api', args: [] }) },
  ]);
  expect(failure.message).toMatch(/^api exited with code 127[^]*\/nonexistent\/api/);
});

it('stops a start that is interrupted', async () => {
  const interruption = new AbortController();
  const failed = failureOf(
    [service('database'), service('api', ['database'], 'exec sleep 600')],
    interruption.signal,
  );
  await waitUntil('the second part', () => existsSync(join(directory, 'run/api.json')), {
    timeoutMs: 60_000,
  });
  interruption.abort(new Error('Ctrl-C'));
  expect((await failed).message).toBe('Ctrl-C');
  expect(processesWith(STACK_MARKER, directory)).toEqual([]);
});

it('kills a part that does not stop, with all that it started', async () => {
  await supervisor.start([
    {
      ...service('api', [], 'trap "" TERM; sleep 600 & touch "$READY"; while :; do wait; done'),
      stopTimeoutMs: 200,
    },
  ]);
  await supervisor.stop();
  expect(events.at(-2)).toMatchObject({ kind: 'warning', text: expect.stringContaining('killed') });
  expect(processesWith(STACK_MARKER, directory)).toEqual([]);
});

it('keeps Ctrl-C on the terminal from its parts', async () => {
  await supervisor.start([service('api')]);
  const group = Number(
    readFileSync(`/proc/${pidOf('api')}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ')[2],
  );
  expect(group).toBe(pidOf('api'));
});

it('shows warnings and errors that a part of ours logs', async () => {
  await supervisor.start([
    {
      ...service(
        'worker',
        [],
        `echo '{"level":30,"msg":"fine"}'; echo '{"level":40,"msg":"queue is long"}'; echo 'not json'; touch "$READY"; exec sleep 600`,
      ),
      logsJson: true,
    },
  ]);
  await supervisor.stop();
  expect(events.filter(({ kind }) => kind === 'warning').map(({ text }) => text)).toEqual([
    'queue is long',
  ]);
});

it('goes on where a log cannot be moved aside, and says so', async () => {
  const logDir = join(directory, 'logs');
  const watching = createSupervisor(
    { stateDir: directory, runDir: join(directory, 'run'), logDir },
    (progress) => events.push(progress),
    5,
  );
  await watching.start([service('worker')]);
  mkdirSync(join(logDir, 'worker.log.1'));
  truncateSync(join(logDir, 'worker.log'), 65 * 2 ** 20);
  await waitUntil('a warning', () => trail().includes('worker warning'), { timeoutMs: 60_000 });
  expect(events.at(-1)?.text).toMatch(/^its log cannot be moved aside: /);
  await watching.stop();
  expect(trail().at(-1)).toBe('worker stopped');
});

it('knows a process from a later one with the same number', () => {
  const own = identify(process.pid);
  expect(own).toBeDefined();
  expect(own?.startTicks).toBeGreaterThan(0);
  expect(identify(2 ** 22 + 1)).toBeUndefined();
});

it('counts a process whose first thread has ended as long as another one runs', async () => {
  const child = spawn(
    '/usr/bin/python3',
    [
      '-c',
      `import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
ctypes.CDLL(None).pthread_exit(None)`,
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const stat = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  await waitUntil('the end of its first thread', () => stat().includes(') Z '), {
    timeoutMs: 60_000,
  });
  const identity = identify(child.pid as number);
  expect(identity && isRunning(identity)).toBe(true);
  const exited = once(child, 'exit');
  child.stdin.end();
  await exited;
  expect(identity && isRunning(identity)).toBe(false);
});
