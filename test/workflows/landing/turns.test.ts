import { Turns } from '../../../workflows/landing/turns.ts';

const NOW_MS = Date.parse('2026-11-01T12:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW_MS, doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Something that ends as it is told to. */
function work<T>() {
  let end: (result: T) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<T>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { do: jest.fn(() => done), end, fail };
}

/** All that can go on by now has gone on. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('what is done in turns', () => {
  it('begins once all that was asked for before has ended, and is told how long it has waited', async () => {
    const turns = new Turns();
    const [first, second, third] = [work<string>(), work<string>(), work<string>()];
    const results = [turns.take(first.do), turns.take(second.do)];
    await settle();
    expect(first.do).toHaveBeenCalledWith(0);
    expect(second.do).not.toHaveBeenCalled();
    jest.setSystemTime(NOW_MS + 1_000);
    results.push(turns.take(third.do));
    jest.setSystemTime(NOW_MS + 5_000);
    first.end('one');
    await settle();
    expect(second.do).toHaveBeenCalledWith(5_000);
    expect(third.do).not.toHaveBeenCalled();
    second.end('two');
    await settle();
    expect(third.do).toHaveBeenCalledWith(4_000);
    third.end('three');
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three']);
  });

  it('goes on where one fails, which only who asked for it hears', async () => {
    const turns = new Turns();
    const [first, second] = [work<string>(), work<string>()];
    const failed = turns.take(first.do);
    const done = turns.take(second.do);
    first.fail(new Error('refused'));
    await expect(failed).rejects.toThrow('refused');
    second.end('two');
    expect(await done).toBe('two');
  });
});
