import { randomUUID } from 'node:crypto';
import { lchown, lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  readAptOptions,
  readAptSources,
  urisOf,
  type AptSources,
  type Machine,
} from '../../sandbox/machine.ts';
import { isPlainFile, takeOut } from '../../sandbox/take-out.ts';
import type { Unprivileged } from '../../sandbox/unprivileged.ts';
import { syncFile } from '../archive/file-checks.ts';

/** A chroot could not be made; the log says why. */
export class ChrootProblem extends Error {}

/**
 * What every build installs anyway, and what sets the chroot up: umount, groupadd and useradd, which are required but
 * not essential. mmdebstrap from 1.4.0 on leaves them out.
 */
const PACKAGES = ['fakeroot', 'mount', 'passwd'];
/** What apt verifies mirrors by whose addresses are https. */
const AUTHORITIES = 'ca-certificates';
/** Mirrors, and lists of mirrors (apt-transport-mirror(1)), that apt fetches wherever it runs. */
const FETCHABLE = /^(?:https?|mirror(?:\+https?)?):\/\//i;

export type ChrootDependencies = {
  /** Where tarballs are kept. */
  chrootsDir: string;
  /** Where they are made: on the same file system, and emptied by the caller, as a killed process leaves its work. */
  workDir: string;
  machine: Machine;
  unprivileged: Unprivileged;
  timeoutMs: number;
  killAfterMs: number;
  /** Where the machine's apt sources are; unset: where apt has them. */
  aptDir?: string;
};

export type Chroots = {
  /**
   * The tarball of the machine's own series, made where it does not exist or the builds' user could have changed it.
   *
   * @throws ChrootProblem
   */
  tarball(signal: AbortSignal, onOutput: (chunk: Buffer) => void): Promise<string>;
};

/**
 * Makes and keeps chroot tarballs. Who wants one that is being made waits for it. Of two processes that share the
 * folder each makes its own; the last one stays.
 */
export function openChroots(dependencies: ChrootDependencies): Chroots {
  const { chrootsDir, workDir, machine, unprivileged, timeoutMs, killAfterMs, aptDir } =
    dependencies;
  const { distribution, series, architecture } = machine;
  let making: Promise<string> | undefined;

  const place = `${distribution}-${series}-${architecture}`;

  const make = async (
    { path, packages, sources }: { path: string; packages: string[]; sources: AptSources[] },
    signal: AbortSignal,
    onOutput: (chunk: Buffer) => void,
  ) => {
    if (sources.length === 0)
      throw new ChrootProblem(`The machine has no apt source for ${series}.`);
    const unfetchable = urisOf(sources).find((uri) => !FETCHABLE.test(uri));
    if (unfetchable !== undefined)
      throw new ChrootProblem(
        `The machine's apt sources for ${series} have ${unfetchable}, which is neither http nor https: no chroot can fetch from it.`,
      );
    const work = join(workDir, `chroot-${randomUUID()}`);
    await mkdir(work, { recursive: true });
    const own = join(work, 'own');
    await unprivileged.makeDirectory(own);
    try {
      for (const { name, text } of sources) await writeFile(join(work, name), text);
      const aptOptions = await readAptOptions();
      const { exitCode, wasKilled } = await unprivileged.run(
        'mmdebstrap',
        [
          '--variant=buildd',
          '--mode=unshare',
          `--include=${packages.join(',')}`,
          // The lists stay: a build's apt asks for what has changed since, not for all of them.
          '--skip=cleanup/apt/lists',
          // A chroot whose machine loses its power is thrown away: dpkg need not flush every file to the disk.
          '--dpkgopt=force-unsafe-io',
          `--architectures=${architecture}`,
          ...aptOptions.map((option) => `--aptopt=${option}`),
          series,
          join(own, 'chroot.tar'),
          ...sources.map(({ name }) => join(work, name)),
        ],
        { cwd: own, temporaryDir: own, signal, timeoutMs, killAfterMs, onOutput },
      );
      if (exitCode !== 0)
        throw new ChrootProblem(
          wasKilled ? 'mmdebstrap was ended.' : `mmdebstrap ended with ${exitCode}.`,
        );
      const tarball = await takeOut(join(own, 'chroot.tar'), work);
      if (!(await isPlainFile(tarball))) throw new ChrootProblem('mmdebstrap made no file.');
      await keepFromOthers(tarball);
      // One that a power cut has emptied would fail every build.
      await syncFile(tarball);
      await rename(tarball, path);
      await removeEarlier(path);
      return path;
    } finally {
      await unprivileged.removeDirectory(work);
    }
  };

  /** Removes those that an earlier version made, or of other apt sources. */
  const removeEarlier = async (kept: string) => {
    for (const name of await readdir(chrootsDir)) {
      const path = join(chrootsDir, name);
      if (path !== kept && [`${place}.`, `${place}+`].some((start) => name.startsWith(start)))
        await rm(path, { force: true });
    }
  };

  return {
    async tarball(signal, onOutput) {
      const sources = await readAptSources(series, aptDir);
      // The mirrors of a list may be https, however the list is fetched.
      const needsAuthorities = urisOf(sources).some((uri) => /^(?:https|mirror)\b/i.test(uri));
      const packages = [...PACKAGES, ...(needsAuthorities ? [AUTHORITIES] : [])];
      // One that lacks packages is not taken, whatever made it.
      const path = join(chrootsDir, `${[place, ...packages].join('+')}.tar`);
      for (;;) {
        // Whoever waits looks again afterwards: the build that was making the chroot may have been cancelled.
        while (making) {
          onOutput(Buffer.from('The chroot is being made for another build.\n'));
          await making.catch(() => undefined);
        }
        await mkdir(chrootsDir, { recursive: true });
        await keepFromOthers(chrootsDir);
        if (await isKept(path)) return path;
        // Another build may have begun to make it meanwhile.
        if (!making) break;
      }
      onOutput(Buffer.from(`Making a chroot of ${distribution} ${series} ${architecture}.\n`));
      making = make({ path, packages, sources }, signal, onOutput).finally(() => {
        making = undefined;
      });
      return making;
    },
  };
}

/**
 * What root keeps is root's, whoever made it: a build that is out of its chroot would spoil the chroot of all later
 * ones, for good.
 */
async function keepFromOthers(path: string): Promise<void> {
  if (isRoot()) await lchown(path, 0, 0);
}

/** Whether there is a tarball that no build can have changed. One of another owner is of an earlier version. */
async function isKept(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && (!isRoot() || found.uid === 0);
}

const isRoot = () => process.getuid?.() === 0;

/**
 * Removes what killed processes of earlier versions have left among the tarballs.
 *
 * @param olderThanMs what is younger may be at work
 */
export async function removeAbandonedWork(
  { chrootsDir, unprivileged }: Pick<ChrootDependencies, 'chrootsDir' | 'unprivileged'>,
  olderThanMs: number,
): Promise<void> {
  const names = await readdir(chrootsDir).catch(() => []);
  for (const name of names.filter((one) => one.startsWith('.work-'))) {
    const path = join(chrootsDir, name);
    // Another stand-in may have removed it meanwhile.
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - olderThanMs) await unprivileged.removeDirectory(path);
  }
}
