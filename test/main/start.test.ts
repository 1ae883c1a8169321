import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { processesWith } from '../../main/embedded/process-table.ts';
import { STACK_MARKER } from '../../main/embedded/stale-processes.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { stackAddresses } from '../support/addresses.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePorts, portVariables } from '../support/stack/free-ports.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

jest.setTimeout(600_000);

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let environment: Record<string, string>;
let stateDir: string;
let start: ChildProcess | undefined;
let output: string;

beforeEach(async () => {
  database = await createTestDatabase();
  const ports = await freePorts();
  stateDir = join(temporaryDirectory(), 'state');
  output = '';
  environment = {
    ...foreignEnvironment(),
    AIRLINE_STATE_DIR: stateDir,
    AIRLINE_CACHE_DIR: stackAddresses().cacheDir,
    AIRLINE_DATABASE_URL: database.url,
    AIRLINE_AMQP_URL: stackAddresses().amqpUrl,
    ...portVariables(ports),
  };
});
afterEach(async () => {
  if (start && start.exitCode === null && start.signalCode === null) {
    start.kill('SIGKILL');
    await once(start, 'close');
  }
  await waitUntil('the end of all parts', () => left().length === 0, { timeoutMs: 120_000 });
  await database.drop();
});

const left = () => processesWith(STACK_MARKER, stateDir);

/** The umask of a process; undefined where it has ended. */
function umaskOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return /^Umask:\t(?<umask>\d+)$/m.exec(status)?.groups?.['umask'];
  } catch {
    return undefined;
  }
}

function run(): ChildProcess {
  // As on a hardened machine.
  const script = 'umask 077; exec "$0" --import tsx main/start.ts';
  start = spawn('sh', ['-c', script, process.execPath], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [start.stdout, start.stderr])
    stream?.on('data', (text: Buffer) => (output += text.toString()));
  return start;
}

it('npm start shows where everything is, and Ctrl-C stops it in order', async () => {
  const child = run();
  await waitUntil('the table of addresses', () => output.includes('Ctrl-C stops it.'), {
    timeoutMs: 300_000,
  });
  const port = environment['AIRLINE_API_PORT'];
  expect(output).toMatch(new RegExp(`^ +API +http://127\\.0\\.0\\.1:${port}$`, 'm'));
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  // Root's parts run as several users, who read each other's files; another user's files stay closed.
  const umask = process.getuid?.() === 0 ? '0022' : '0077';
  const umasks = left().map(({ pid }) => umaskOf(pid));
  expect(new Set(umasks.filter((each) => each !== undefined))).toEqual(new Set([umask]));
  // Their addresses are set: these are elsewhere.
  expect(output).not.toMatch(/(?:postgresql|rabbitmq) +ready/);
  expect(output).not.toContain(new URL(database.url).password);

  const closed = once(child, 'close');
  // As the terminal and npm both send it.
  child.kill('SIGINT');
  child.kill('SIGINT');
  const [code] = (await closed) as [number];
  expect(code).toBe(0);
  const stopped = [...output.matchAll(/(\S+) +stopped: exited with code 0/g)].map(
    ([, part]) => part,
  );
  expect(new Set(stopped)).toEqual(new Set(['api', 'worker', 'tester', 'stand-in', 'temporal']));
  for (const [user, used] of [
    ['api', 'temporal'],
    ['worker', 'temporal'],
    ['tester', 'temporal'],
    ['worker', 'stand-in'],
    ['tester', 'stand-in'],
  ] as const)
    expect(
      [user, used].toSorted((one, other) => stopped.indexOf(one) - stopped.indexOf(other)),
    ).toEqual([user, used]);
  expect(left()).toEqual([]);
});

it('a wrong variable stops npm start before anything is done', async () => {
  environment['AIRLINE_API_PORT'] = 'http';
  environment['AIRLINE_DATABASE'] = 'mine';
  const [code] = (await once(run(), 'close')) as [number];
  expect(code).toBe(1);
  expect(output.trimEnd().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^AIRLINE_API_PORT: /),
    'AIRLINE_DATABASE: there is no such variable',
  ]);
});

it('a part that cannot start stops npm start, which shows its log', async () => {
  environment['AIRLINE_DATABASE_URL'] = database.url.replace(/\/test_[0-9a-f]+$/, '/nowhere');
  const [code] = (await once(run(), 'close')) as [number];
  expect(code).toBe(1);
  expect(output).toMatch(
    /migrations failed: .*exited with code 1\nIts last log lines[^]*database "nowhere" does not exist/,
  );
  expect(left()).toEqual([]);
});
