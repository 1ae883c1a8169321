import { directoryInMemory } from './directory-in-memory.ts';

const GIB = 1024 ** 3;
const SHM = 'tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0';
const ROOMY = {
  mounts: `/dev/vda / ext4 rw 0 0\n${SHM}\n`,
  freeDisk: () => 12 * GIB,
  freeMemory: 20 * GIB,
};

describe('the files of a test run', () => {
  it('are in memory where there is room for them', () => {
    expect(directoryInMemory({}, ROOMY)).toBe('/dev/shm');
  });

  it('are where TMPDIR says', () => {
    expect(directoryInMemory({ TMPDIR: '/srv/tmp' }, ROOMY)).toBeUndefined();
  });

  it.each([
    ['little memory is free', { freeMemory: 6 * GIB }],
    ['little may be written', { freeDisk: () => 64 * 1024 ** 2 }],
    ['the tester would soon have no room beside them', { freeDisk: () => 5 * GIB }],
    ['it is not there', { mounts: '/dev/vda / ext4 rw 0 0\n' }],
    ['it is on a disk', { mounts: '/dev/vdb /dev/shm ext4 rw 0 0\n' }],
    ['nothing in it is executed', { mounts: `${SHM.replace('rw', 'rw,noexec')}\n` }],
    ['something else is mounted over it', { mounts: `${SHM}\n/dev/vdb /dev/shm ext4 rw 0 0\n` }],
  ])('are not in memory where %s', (_case, machine) => {
    expect(directoryInMemory({}, { ...ROOMY, ...machine })).toBeUndefined();
  });
});
