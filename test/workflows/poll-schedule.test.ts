import { loadConfig } from '../../main/config/config.ts';
import { maxPollDelayMs, pollDelayMs } from '../../workflows/poll-schedule.ts';

describe('the number of polls of the PPA', () => {
  const limits = loadConfig({}).build;

  it.each([
    ['at once', 0, 1],
    ['just before the first poll', 10_000, 1],
    ['just after it', 10_001, 2],
    ['after a minute', 60_000, 3],
    ['after ten minutes', 600_000, 12],
  ])('by the default intervals, of a build that ends %s', (_, builtAfterMs, expected) => {
    let polls = 0;
    for (let atMs = 0; atMs < builtAfterMs || polls === 0; polls++)
      atMs += pollDelayMs(limits, polls, Number.MAX_SAFE_INTEGER);

    expect(polls).toBe(expected);
  });
});

describe('the number of polls whose waits grow', () => {
  const DAY_MS = 86_400_000;
  const { pollMs } = loadConfig({}).landing;

  it.each([
    ['an hour', DAY_MS / 24, 80],
    ['a week', 7 * DAY_MS, 600],
    ['a month', 31 * DAY_MS, 600],
  ])('is bounded where they go on for %s', (_, withinMs, most) => {
    let polls = 0;
    for (let atMs = 0, waitMs = pollMs; atMs < withinMs; polls++) {
      atMs += waitMs;
      waitMs = Math.min(waitMs * 2, maxPollDelayMs(withinMs));
    }

    expect(polls).toBeLessThan(most);
  });

  it('leaves a minute between two of them at most where that is not too many', () => {
    expect(maxPollDelayMs(DAY_MS / 4)).toBe(60_000);
  });
});
