import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock, waitForLock } from '../../../main/embedded/lock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const locks = {
  takeLock: async (path: string) => takeLock(path, '/state'),
  waitForLock: (path: string) => waitForLock(path, 60_000, new AbortController().signal),
};

it.each(Object.entries(locks))(
  'a lock of %s that is given up twice leaves the file alone that got its number',
  async (_, lock) => {
    const directory = temporaryDirectory();
    const unlock = await lock(join(directory, 'lock'));
    unlock();
    const other = openSync(join(directory, 'other'), 'w');
    unlock();
    expect(fstatSync(other).isFile()).toBe(true);
    closeSync(other);
  },
);

it('who holds a lock is named to others, until it is given up', () => {
  const path = join(temporaryDirectory(), 'lock');
  const unlock = takeLock(path, '/state');
  expect(() => takeLock(path, '/state')).toThrow(
    `A stack is running already in /state (process ${process.pid})`,
  );
  unlock();
  takeLock(path, '/state')();
});

it('who gives the wait for a lock up is told why', async () => {
  const path = join(temporaryDirectory(), 'lock');
  const unlock = await locks.waitForLock(path);
  const abort = new AbortController();
  const waiting = waitForLock(path, 60_000, abort.signal);
  abort.abort(new Error('Ctrl-C'));
  await expect(waiting).rejects.toThrow('Ctrl-C');
  unlock();
});
