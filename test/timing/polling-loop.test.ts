import { startPollingLoop, type PollingLoop } from '../../timing/polling-loop.ts';

let loop: PollingLoop;
let polls: number;
/** What the next polls throw; an empty list means that they succeed. */
let errors: unknown[];
let told: [unknown, { failures: number; waitMs: number }][];

const start = (options: { firstBackoffMs?: number; maxBackoffMs?: number } = {}) => {
  loop = startPollingLoop({
    intervalMs: 1_000,
    ...options,
    poll: async () => {
      polls += 1;
      if (errors.length > 0) throw errors.shift();
    },
    onError: (...failure) => told.push(failure),
  });
};
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
  polls = 0;
  errors = [];
  told = [];
});
afterEach(async () => {
  await loop.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a polling loop', () => {
  it('polls at once and after each interval', async () => {
    start();
    expect(polls).toBe(1);
    await pass(999);
    expect(polls).toBe(1);
    await pass(1);
    expect(polls).toBe(2);
    await pass(3_000);
    expect(polls).toBe(5);
    expect(told).toEqual([]);
  });

  it('polls when it is woken, and counts the interval from there', async () => {
    start();
    await pass(600);
    loop.wake();
    loop.wake();
    await pass(0);
    expect(polls).toBe(2);
    await pass(999);
    expect(polls).toBe(2);
    await pass(1);
    expect(polls).toBe(3);
  });

  it('polls once more when it is woken during a poll, and never twice at a time', async () => {
    let finish: () => void = () => {};
    let running = 0;
    loop = startPollingLoop({
      intervalMs: 1_000,
      poll: async () => {
        polls += 1;
        running += 1;
        expect(running).toBe(1);
        await new Promise<void>((resolve) => (finish = resolve));
        running -= 1;
      },
      onError: (error) => {
        throw error;
      },
    });
    loop.wake();
    await pass(5_000);
    expect(polls).toBe(1);
    finish();
    await pass(0);
    expect(polls).toBe(2);
    finish();
    await pass(999);
    expect(polls).toBe(2);
    const stopped = loop.stop();
    finish();
    await stopped;
  });

  it('doubles the wait from failure to failure, up to the longest, and starts over after a success', async () => {
    errors = ['a', 'b', 'c', 'd'];
    start({ firstBackoffMs: 300, maxBackoffMs: 1_100 });
    await pass(300);
    await pass(600);
    await pass(1_100);
    expect(polls).toBe(4);
    expect(told).toEqual([
      ['a', { failures: 1, waitMs: 300 }],
      ['b', { failures: 2, waitMs: 600 }],
      ['c', { failures: 3, waitMs: 1_100 }],
      ['d', { failures: 4, waitMs: 1_100 }],
    ]);
    await pass(1_100);
    expect(polls).toBe(5);
    errors = ['e'];
    await pass(1_000);
    expect(told.at(-1)).toEqual(['e', { failures: 1, waitMs: 300 }]);
  });

  it('waits the interval after a failure where nothing else is said', async () => {
    errors = ['a', 'b'];
    start();
    await pass(2_000);
    expect(told.map(([, { waitMs }]) => waitMs)).toEqual([1_000, 1_000]);
    expect(polls).toBe(3);
  });

  it('is not woken while it waits after a failure', async () => {
    errors = ['a'];
    start({ maxBackoffMs: 8_000 });
    await pass(500);
    loop.wake();
    await pass(499);
    expect(polls).toBe(1);
    await pass(1);
    expect(polls).toBeGreaterThan(1);
  });

  it('polls no more once it is stopped, whether it sleeps or has failed', async () => {
    start();
    await pass(100);
    await loop.stop();
    loop.wake();
    await pass(10_000);
    expect(polls).toBe(1);

    errors = ['a'];
    start();
    await pass(100);
    await loop.stop();
    await pass(10_000);
    expect(polls).toBe(2);
  });

  it('aborts the poll under way when it is stopped, waits for it, and drops its error', async () => {
    let isDone = false;
    loop = startPollingLoop({
      intervalMs: 1_000,
      poll: async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        isDone = true;
        throw new Error('stopped half-way');
      },
      onError: (...failure) => told.push(failure),
    });
    await loop.stop();
    expect(isDone).toBe(true);
    expect(told).toEqual([]);
  });
});
