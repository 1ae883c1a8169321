import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const PATH = '/dev/shm';
const GIB = 1024 ** 3;
// The demonstration of a landing holds 1.3 GB there at most, all other tests of a whole run 1.1 GB. Beside them, its
// tester wants 4 GiB free before each image and run (AIRLINE_TEST_DISK_BYTES).
const MIN_FREE_DISK = 7 * GIB;
const MIN_FREE_MEMORY = 12 * GIB;

/**
 * Where the files of a test run are in memory: they are many, small, and soon removed, which costs a file system on a
 * disk a tenth of all processor time (docs/testing.md).
 *
 * @param environment its TMPDIR, where there is one, says where temporary files have to be
 * @param machine.mounts as /proc/self/mounts has them
 * @param machine.freeDisk how much may be written there, in bytes
 * @param machine.freeMemory how much memory is free, in bytes
 * @returns undefined where the machine has no room for them, or where what is written there cannot be executed
 */
export function directoryInMemory(
  environment: NodeJS.ProcessEnv = process.env,
  {
    mounts = readFileSync('/proc/self/mounts', 'utf8'),
    freeDisk = freeBytes,
    freeMemory = freemem(),
  } = {},
): string | undefined {
  if (environment['TMPDIR'] || freeMemory < MIN_FREE_MEMORY) return undefined;
  const mounted = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, path]) => path === PATH);
  const [, , type, options = ''] = mounted ?? [];
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return undefined;
  return freeDisk() < MIN_FREE_DISK ? undefined : PATH;
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(PATH);
  return bavail * bsize;
}
