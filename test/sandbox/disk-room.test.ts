import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { hasRoom, watchRoom, type ReadDisk } from '../../sandbox/disk-room.ts';
import { openIsolation, type IsolatedEnd } from '../../sandbox/isolation.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 2 ** 20;
/** A disk of a gigabyte, as ext4 makes one. */
const EMPTY = { bavail: 2 ** 18, bsize: 4_096, files: 65_536, ffree: 65_525 };

describe('a disk', () => {
  it.each([
    ['an empty one', EMPTY, true],
    ['one with few bytes left', { ...EMPTY, bavail: 2 ** 17 - 1 }, false],
    ['one with few inodes left', { ...EMPTY, ffree: 8_191 }, false],
    ['one that counts no inodes', { ...EMPTY, files: 0, ffree: 0 }, true],
  ])('%s has room for half a gigabyte, or not', async (_, disk, has) => {
    expect(await hasRoom('/somewhere', 512 * MIB, async () => disk)).toBe(has);
  });
});

describe('the watch over a disk', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('asks no more of one that hangs, until it has answered', async () => {
    let answer: (disk: typeof EMPTY) => void = () => undefined;
    const readDisk = jest.fn<ReturnType<ReadDisk>, [string]>(
      () => new Promise((resolve) => (answer = resolve)),
    );
    const { isGone, stop } = watchRoom('/somewhere', 512 * MIB, readDisk);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(readDisk).toHaveBeenCalledTimes(1);
    answer(EMPTY);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(readDisk).toHaveBeenCalledTimes(2);
    expect(isGone.aborted).toBe(false);
    answer({ ...EMPTY, bavail: 1 });
    await jest.advanceTimersByTimeAsync(0);
    expect(isGone.aborted).toBe(true);
    stop();
  });
});

describe('what is isolated', () => {
  const unprivileged = createUnprivileged(unprivilegedUser(() => undefined, 'airline-test'));
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => unprivileged.removeDirectory(directory));

  async function run(command: string[], readDisk: ReadDisk): Promise<IsolatedEnd> {
    const folder = join(directory, 'run');
    mkdirSync(folder);
    const isolation = await openIsolation(folder, unprivileged);
    const [program = '', ...args] = command;
    try {
      return await isolation.run(program, args, {
        signal: new AbortController().signal,
        timeoutMs: 600_000,
        killAfterMs: 1_000,
        onOutput: () => undefined,
        memoryBytes: 160 * MIB,
        groups: undefined,
        fileBytes: MIB,
        roomBytes: 512 * MIB,
        readDisk,
      });
    } finally {
      await isolation.stop();
    }
  }

  it('is ended once its disk has too little room left', async () => {
    const disks = [EMPTY, { ...EMPTY, bavail: 1 }];
    const asked: string[] = [];
    const end = await run(['sleep', '1000'], async (folder) => {
      asked.push(folder);
      return disks.shift() ?? EMPTY;
    });
    expect(end).toMatchObject({ wasKilled: true, ranOutOfDisk: true });
    expect(asked.slice(0, 2)).toEqual(Array(2).fill(join(directory, 'run/own')));
  }, 300_000);

  it('goes on where nobody can tell', async () => {
    const untilAsked = ['sh', '-c', 'until [ -e asked ]; do sleep 0.1; done'];
    let asked = 0;
    const end = await run(untilAsked, async (folder) => {
      asked += 1;
      if (asked === 2) writeFileSync(join(folder, 'asked'), '');
      throw new Error('Input/output error');
    });
    expect(end).toMatchObject({ exitCode: 0, wasKilled: false, ranOutOfDisk: false });
  }, 300_000);
});
