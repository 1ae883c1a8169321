import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { openIsolation, type IsolatedEnd } from '../../sandbox/isolation.ts';
import { openRunGroups, type RunGroups } from '../../sandbox/run-groups.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 2 ** 20;

/** A folder in place of the kernel's: what is written stays as it is, and nothing acts on it. */
function folderOf(controllers: string): string {
  const top = temporaryDirectory();
  writeFileSync(join(top, 'cgroup.controllers'), `${controllers}\n`);
  return top;
}

/** A tester that has its own cache. */
const tester = (cacheDir = temporaryDirectory()) => ({ cacheDir, instance: '/state' });

/** The files of a kernel's folder do not keep it from being removed. */
function empty(path: string): void {
  rmSync(path, { recursive: true });
  mkdirSync(path);
}

/** The names of all groups of runs. */
const groupsIn = (top: string) =>
  new Set(readdirSync(join(top, 'airline')).filter((name) => name.includes('-')));

describe('the group of a run', () => {
  it('has a limit of memory and of processes for all that is in it', async () => {
    const top = folderOf('cpu memory pids');
    const groups = await openRunGroups(tester(), top);
    const group = await groups.open(1_000);
    const path = dirname(group.entrance);
    const read = (name: string) => readFileSync(join(path, name), 'utf8');
    expect(dirname(path)).toBe(join(top, 'airline'));
    expect(readFileSync(join(top, 'airline/cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    expect([basename(group.entrance), read('memory.max'), read('memory.swap.max')]).toEqual([
      'cgroup.procs',
      '1000',
      '0',
    ]);
    expect([read('memory.oom.group'), read('pids.max')]).toEqual(['1', '8192']);
    writeFileSync(join(path, 'memory.events'), 'max 3\noom 0\noom_kill 0\noom_group_kill 0\n');
    expect(await group.ranOutOfMemory()).toBe(false);
    writeFileSync(join(path, 'memory.events'), 'max 3\noom 1\noom_kill 12\noom_group_kill 1\n');
    expect(await group.ranOutOfMemory()).toBe(true);
  });

  it('is removed, as is what an earlier process of the same owner has left', async () => {
    const top = folderOf('memory pids');
    const cacheDir = temporaryDirectory();
    const one = { cacheDir, instance: '/state/one' };
    const other = { cacheDir, instance: '/state/other' };
    const { open } = await openRunGroups(one, top);
    const left = [await open(1), await open(1)].map(({ entrance }) => dirname(entrance));
    const others = dirname((await (await openRunGroups(other, top)).open(1)).entrance);
    for (const path of [...left, others]) empty(path);
    const again = await (await openRunGroups(one, top)).open(1);
    const own = dirname(again.entrance);
    expect(groupsIn(top)).toEqual(new Set([own, others].map((path) => basename(path))));
    empty(own);
    await again.close();
    expect(groupsIn(top)).toEqual(new Set([basename(others)]));
  });

  it('stays where a tester starts that has another folder at the same path, as in another container', async () => {
    const top = folderOf('memory pids');
    const folders = temporaryDirectory();
    const cacheDir = join(folders, 'cache');
    const start = () => openRunGroups(tester(cacheDir), top);
    const running = dirname((await (await start()).open(1)).entrance);
    empty(running);
    renameSync(cacheDir, join(folders, 'first'));
    await start();
    expect(groupsIn(top)).toEqual(new Set([basename(running)]));
    renameSync(cacheDir, join(folders, 'second'));
    renameSync(join(folders, 'first'), cacheDir);
    await start();
    expect(groupsIn(top)).toEqual(new Set());
  });

  it('cannot be had where nothing bounds memory', async () => {
    await expect(openRunGroups(tester(), folderOf('hugetlb'))).rejects.toThrow(
      'does not have the memory controller',
    );
  });
});

describe('a run that takes too much memory', () => {
  const user = unprivilegedUser(() => undefined, 'airline-test');
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => createUnprivileged(user).removeDirectory(directory));

  /** Runs Python with 160 MiB, in a group of its own where groups are given. */
  async function python(
    name: string,
    script: string,
    groupsOfIt: RunGroups | undefined,
  ): Promise<IsolatedEnd & { output: string }> {
    const folder = join(directory, name);
    mkdirSync(folder);
    const isolation = await openIsolation(folder, createUnprivileged(user));
    let output = '';
    try {
      const end = await isolation.run('python3', ['-c', script], {
        signal: new AbortController().signal,
        timeoutMs: 300_000,
        killAfterMs: 1_000,
        onOutput: (chunk) => (output += chunk.toString('utf8')),
        memoryBytes: 160 * MIB,
        groups: groupsOfIt,
        fileBytes: MIB,
        roomBytes: 0,
      });
      return { ...end, output };
    } finally {
      await isolation.stop();
    }
  }
  const groups = openRunGroups(tester()).catch(() => undefined);

  it('is stopped, and others go on', async () => {
    const [greedy, modest] = await Promise.all([
      python('greedy', `b'x' * ${400 * MIB}`, await groups),
      python('modest', `b'x' * ${20 * MIB}; print('done')`, await groups),
    ]);
    expect(modest).toMatchObject({ exitCode: 0, ranOutOfMemory: false, output: 'done\n' });
    if (await groups) expect(greedy).toMatchObject({ exitCode: null, ranOutOfMemory: true });
    else
      expect(greedy).toMatchObject({
        exitCode: 1,
        ranOutOfMemory: false,
        output: expect.stringContaining('MemoryError'),
      });
  }, 600_000);

  it('is stopped where its processes take that together, if the machine has groups', async () => {
    // None of them ends before all have their memory.
    const script = `import os
ready, go = os.pipe(), os.pipe()
for each in range(4):
  if os.fork() == 0:
    held = b'x' * ${80 * MIB}
    os.close(go[1])
    os.write(ready[1], b'.')
    os.read(go[0], 1)
    break
else:
  for each in range(4): os.read(ready[0], 1)
  print('done')`;
    const together = await python('together', script, await groups);
    if (await groups) expect(together).toMatchObject({ exitCode: null, ranOutOfMemory: true });
    else expect(together).toMatchObject({ exitCode: 0, ranOutOfMemory: false, output: 'done\n' });
  }, 600_000);

  it('has no more processes without a group than with one, nor more than the tester may have', async () => {
    const script = 'import resource; print(*resource.getrlimit(resource.RLIMIT_NPROC))';
    const most = async (name: string) =>
      (await python(name, script, undefined)).output.trim().split(' ').map(Number);
    const ownLimit = (...args: string[]) =>
      execFileSync('prlimit', [`--pid=${process.pid}`, ...args], { encoding: 'utf8' }).trim();
    const before = ownLimit('--nproc', '--output=SOFT', '--noheadings');
    const all = Math.min(8_192, Number(before) || Infinity);
    expect(await most('all')).toEqual([all, all]);
    ownLimit(`--nproc=${all - 1}:`);
    try {
      expect(await most('fewer')).toEqual([all - 1, all - 1]);
    } finally {
      ownLimit(`--nproc=${before}:`);
    }
  }, 600_000);
});
