import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeLimit } from '../../timing/time-limit.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

const never = (limit: AbortSignal) => sleep(600_000, undefined, { signal: limit });
const { signal } = new AbortController();

describe('work with a time limit', () => {
  it('is told when its time is over, and why', async () => {
    await expect(withTimeLimit({ ms: 5, signal }, never)).rejects.toMatchObject({
      cause: { name: 'TimeoutError' },
    });
    const reason = () => new Error('too slow');
    await expect(withTimeLimit({ ms: 5, signal, reason }, never)).rejects.toMatchObject({
      cause: { message: 'too slow' },
    });
  });

  it('is told when something else ends it, before it begins or later', async () => {
    const interruption = new AbortController();
    const limited = { ms: 600_000, signal: interruption.signal };
    const working = withTimeLimit(limited, never);
    interruption.abort(new Error('Ctrl-C'));
    await expect(working).rejects.toMatchObject({ cause: { message: 'Ctrl-C' } });
    await expect(withTimeLimit(limited, never)).rejects.toMatchObject({
      cause: { message: 'Ctrl-C' },
    });
  });

  it('gives what comes of it, its error included, and leaves no timer and no listener', async () => {
    jest.useFakeTimers();
    try {
      expect(await withTimeLimit({ ms: 1_000, signal }, async () => 7)).toBe(7);
      const failing = withTimeLimit({ ms: 1_000, signal }, () => Promise.reject(new Error('no')));
      await expect(failing).rejects.toThrow('no');
      expect(jest.getTimerCount()).toBe(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is told also where it only asks, and garbage is collected meanwhile', async () => {
    const endsAtMs = performance.now() + 1_000;
    const isTold = await withTimeLimit({ ms: 100, signal }, async (limit) => {
      // On a busy machine one collection takes longer than the second: the timer needs a turn after it.
      for (let turn = 0; !limit.aborted && (turn < 10 || performance.now() < endsAtMs); turn++) {
        await sleep(20);
        collectGarbage();
      }
      return limit.aborted;
    });
    expect(isTold).toBe(true);
  });
});

it('nothing takes AbortSignal.any of a timeout that nobody holds for a time limit', () => {
  const folders = readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name))
    .map(({ name }) => name);
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((path) => /\.tsx?$/.test(path) && !/node_modules/.test(path))
      .map((path) => join(folder, path)),
  );
  expect(files).toContain('timing/time-limit.ts');
  const lost = /AbortSignal\s*\.any\(\s*\[[^\]]*AbortSignal\s*\.timeout/;
  expect(files.filter((file) => lost.test(readFileSync(file, 'utf8')))).toEqual([]);
});
