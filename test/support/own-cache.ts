import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../main/embedded/directories.ts';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { readMachine } from '../../sandbox/machine.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';
import { openChroots } from '../../stand-in/builders/chroot.ts';
import { stackAddresses } from './addresses.ts';

const MAKE_MS = 600_000;
/** Where builds unpack chroots, and the tester images. */
const UNPACKED = ['builds', 'tests'];
/** apt's lists, of which the tester fetches only what has changed. */
const LISTS = 'tests/indexes';

/**
 * The chroot of this machine's series in the cache that all test runs share; made where it is missing.
 *
 * @returns the path of its tarball
 */
export async function sharedChroot(): Promise<string> {
  const { cacheDir } = stackAddresses();
  return openChroots({
    chrootsDir: join(cacheDir, 'chroots'),
    workDir: join(cacheDir, 'builds'),
    machine: await readMachine(),
    unprivileged: createUnprivileged(unprivilegedUser(() => undefined)),
    timeoutMs: MAKE_MS,
    killAfterMs: 5_000,
  }).tarball(AbortSignal.timeout(MAKE_MS), () => undefined);
}

/**
 * A cache of a test's own. Programs, chroots and lists are those that all test runs share; what is unpacked is not:
 * so many files cost a disk more time than memory, where those of a test run are (docs/testing.md).
 *
 * @param directory in which it is made, by the name `cache`
 * @returns its path
 */
export async function makeOwnCache(directory: string): Promise<string> {
  // One that is missing would be made here, and could not be moved to another file system.
  await sharedChroot();
  const shared = stackAddresses().cacheDir;
  const cache = join(directory, 'cache');
  makeDirectory(join(shared, LISTS));
  makeDirectory(join(cache, 'tests'));
  const others = readdirSync(shared).filter((name) => !UNPACKED.includes(name));
  for (const name of [...others, LISTS]) symlinkSync(join(shared, name), join(cache, name));
  return cache;
}
