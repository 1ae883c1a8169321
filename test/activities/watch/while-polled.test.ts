import { whilePolled } from '../../../activities/watch/while-polled.ts';
import { keepLog, type LogLine } from '../activity.ts';

const EVERY_MS = 10_000;

let marks: number;
let lines: LogLine[];
let stop: AbortController;
/** Ends the round. */
let end: (error?: Error) => void;
/** Fails the marks. */
let isAway: boolean;

beforeEach(() => {
  jest.useFakeTimers();
  marks = 0;
  isAway = false;
  stop = new AbortController();
});
afterEach(() => void jest.useRealTimers());

function begin(): Promise<string> {
  const log = keepLog();
  lines = log.lines;
  const polled = new Promise<string>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve('polled'));
  });
  const mark = async () => {
    if (isAway) throw new Error('the database is away');
    marks += 1;
  };
  const { signal } = stop;
  return whilePolled({ mark, everyMs: EVERY_MS, signal, logger: log.logger }, () => polled);
}

describe('while a PPA is polled', () => {
  it('it is marked at once, and again and again until that is over', async () => {
    const round = begin();
    expect(marks).toBe(1);
    await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(marks).toBe(4);
    end();
    expect(await round).toBe('polled');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('it is marked no more once that has failed', async () => {
    const round = begin();
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    end(new Error('the PPA is away'));
    await expect(round).rejects.toThrow('the PPA is away');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('it is marked no more once that is to stop, though it hangs', async () => {
    void begin();
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    stop.abort();
    await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(marks).toBe(2);
  });

  it('it is polled on though it cannot be marked', async () => {
    const round = begin();
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    isAway = true;
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    isAway = false;
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    expect(marks).toBe(3);
    expect(lines).toMatchObject([{ err: { message: 'the database is away' } }]);
    end();
    expect(await round).toBe('polled');
  });
});
