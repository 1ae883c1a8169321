import { loadConfig } from '../../main/config/config.ts';
import { pollDelayMs } from '../../workflows/poll-schedule.ts';

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
