import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { instanceName } from './instance-name.ts';

/** Processes and threads of one run. */
export const MAX_PROCESSES = 8_192;
const MAX_REMOVAL_TRIES = 100;
const REMOVAL_PAUSE_MS = 100;
const CONTROLLERS = '+memory +pids';
/** Has the groups of all testers of the machine. */
const PARENT = 'airline';

/** A control group of the kernel (cgroup v2) for all processes of one run. */
type RunGroup = {
  /** A process that writes 0 to this file belongs to the group, with all that it starts. */
  entrance: string;
  /** Whether the kernel has ended the run because it took more memory than it may. */
  ranOutOfMemory(): Promise<boolean>;
  /** Ends all that is left in it, and removes it. */
  close(): Promise<void>;
};

/** Whose groups they are. */
export type GroupOwner = {
  /** Made where it is absent. */
  cacheDir: string;
  /** Any text; told apart from other testers with the same cache. */
  instance: string;
};

export type RunGroups = {
  /** @param memoryBytes that all processes of the run may take together, files in memory included */
  open(memoryBytes: number): Promise<RunGroup>;
};

/**
 * Makes this machine ready to bound whole runs. What an earlier process of the same owner has left is ended.
 *
 * @param top the top of the hierarchy; by default, where it is mounted
 * @throws Error that says why this machine, or this user, cannot have groups
 */
export async function openRunGroups(owner: GroupOwner, top?: string): Promise<RunGroups> {
  const root = top ?? (await findTop());
  const controllers = (await readFile(join(root, 'cgroup.controllers'), 'utf8')).trim();
  if (!controllers.split(' ').includes('memory'))
    throw new Error(`the cgroup v2 at ${root} does not have the memory controller`);
  const parent = join(root, PARENT);
  const prefix = `${await nameOf(owner)}-`;
  // What is enabled in a group is what the groups in it have.
  await writeFile(join(root, 'cgroup.subtree_control'), CONTROLLERS);
  await mkdir(parent, { recursive: true });
  await writeFile(join(parent, 'cgroup.subtree_control'), CONTROLLERS);
  for (const name of await readdir(parent))
    if (name.startsWith(prefix)) await remove(join(parent, name));
  return {
    async open(memoryBytes) {
      const path = join(parent, `${prefix}${randomUUID()}`);
      const set = (name: string, value: string) => writeFile(join(path, name), value);
      await mkdir(path);
      try {
        await set('memory.max', String(memoryBytes));
        // One process that is ended would leave the others in an odd state: all of them are.
        await set('memory.oom.group', '1');
        await set('pids.max', String(MAX_PROCESSES));
        // A kernel that does not count swap has no such file.
        await set('memory.swap.max', '0').catch(() => undefined);
      } catch (error) {
        await remove(path);
        throw error;
      }
      return {
        entrance: join(path, 'cgroup.procs'),
        ranOutOfMemory: async () =>
          /^oom_kill [1-9]/m.test(await readFile(join(path, 'memory.events'), 'utf8')),
        close: () => remove(path),
      };
    },
  };
}

/** The owner's name among all that share the hierarchy, which may be in containers: the same after a restart. */
async function nameOf({ cacheDir, instance }: GroupOwner): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  // Not by its path: two containers may have a folder each at the same one.
  const { dev, ino } = await stat(cacheDir, { bigint: true });
  return instanceName(`${dev} ${ino} ${instance}`);
}

/** @throws Error where no cgroup v2 is mounted, or the user is not root */
async function findTop(): Promise<string> {
  // A user that owns the group could have its tests leave it.
  if (process.getuid?.() !== 0) throw new Error('the tester is not root');
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  const found = /^\S+ \S+ \S+ \S+ (?<path>\S+) .* - cgroup2 /m.exec(mounts)?.groups?.['path'];
  if (found === undefined) throw new Error('no cgroup v2 is mounted');
  return found;
}

/** Ends what is in a group and removes it; what has been ended takes a moment to go. */
async function remove(path: string): Promise<void> {
  // Before Linux 5.14 there is no such file; the end of the run's namespace has ended its processes then.
  await writeFile(join(path, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() => undefined);
  for (let triesLeft = MAX_REMOVAL_TRIES; ; triesLeft--)
    try {
      return await rmdir(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || triesLeft <= 1) throw error;
      await sleep(REMOVAL_PAUSE_MS);
    }
}
