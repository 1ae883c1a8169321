import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { reachableBinaries } from '../../../main/embedded/postgres-binaries.ts';
import { postgresPart } from '../../../main/embedded/postgres.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A process of our user, which works in a directory until the test ends. */
function workIn(cwd: string): ChildProcess {
  const child = spawn('sleep', ['600'], { cwd, stdio: 'ignore' });
  children.push(child);
  return child;
}

let children: ChildProcess[];
let state: string;
let data: string;
let lock: string;

beforeEach(() => {
  children = [];
  state = temporaryDirectory();
  data = join(state, 'postgresql');
  lock = join(data, 'postmaster.pid');
  mkdirSync(data);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Prepares a start on a data directory whose lock names a process. */
async function prepareWithLockOf(pid: number | undefined): Promise<void> {
  const cache = temporaryDirectory();
  const { signal } = new AbortController();
  const { version } = await reachableBinaries(cache, undefined, signal);
  const [major = ''] = version.split('.');
  writeFileSync(join(data, 'PG_VERSION'), `${major}\n`);
  writeFileSync(lock, `${pid}\n${data}\n`);
  const part = postgresPart({
    directories: { state, cache },
    port: 1,
    password: '',
    account: undefined,
    durable: false,
  });
  await part.prepare?.({
    signal,
    note: () => undefined,
    run: () => Promise.reject(new Error('nothing has to be run')),
  });
}

it('a lock whose number another process has by now is removed', async () => {
  await prepareWithLockOf(workIn('/').pid);
  expect(existsSync(lock)).toBe(false);
});

it('the lock of a server that is gone is removed', async () => {
  const server = workIn(data);
  server.kill('SIGKILL');
  await once(server, 'exit');
  await prepareWithLockOf(server.pid);
  expect(existsSync(lock)).toBe(false);
});

it('the version of a database is read of no file that a build has put a link to', async () => {
  const file = join(temporaryDirectory(), 'of-root');
  writeFileSync(file, 'secret\n');
  symlinkSync(file, join(data, 'PG_VERSION'));
  const part = postgresPart({
    directories: { state, cache: temporaryDirectory() },
    port: 1,
    password: '',
    account: undefined,
    durable: false,
  });
  const preparing = part.prepare?.({
    signal: new AbortController().signal,
    note: () => undefined,
    run: () => Promise.reject(new Error('nothing has to be run')),
  });
  await expect(preparing).rejects.not.toThrow('secret');
});

it('the lock of a server that runs stays', async () => {
  await prepareWithLockOf(workIn(data).pid);
  expect(existsSync(lock)).toBe(true);
});

/** Calls a function where nobody may see where other processes work, as root without CAP_SYS_PTRACE. */
async function whereNoneIsSeen(call: () => Promise<void>): Promise<void> {
  const { readlinkSync } = fs;
  fs.readlinkSync = () => {
    throw Object.assign(new Error('EACCES: permission denied, readlink'), { code: 'EACCES' });
  };
  syncBuiltinESMExports();
  try {
    await call();
  } finally {
    fs.readlinkSync = readlinkSync;
    syncBuiltinESMExports();
  }
}

it('where nobody may see where it works, the lock of a process that runs stays', async () => {
  await whereNoneIsSeen(() => prepareWithLockOf(workIn(data).pid));
  expect(existsSync(lock)).toBe(true);
});

it('where nobody may see where it works, the lock of one that is gone is removed', async () => {
  const server = workIn(data);
  server.kill('SIGKILL');
  await once(server, 'exit');
  await whereNoneIsSeen(() => prepareWithLockOf(server.pid));
  expect(existsSync(lock)).toBe(false);
});
