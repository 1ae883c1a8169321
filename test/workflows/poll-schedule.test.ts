import { loadConfig } from '../../main/config/config.ts';
import { pollDelayMs } from '../../workflows/poll-schedule.ts';

describe('the number of looks at the PPA', () => {
  const limits = loadConfig({}).build;

  it.each([
    ['at once', 0, 1],
    ['just before the first look', 10_000, 1],
    ['just after it', 10_001, 2],
    ['after a minute', 60_000, 3],
    ['after ten minutes', 600_000, 12],
  ])('by the default intervals, of a build that ends %s', (_, builtAfterMs, expected) => {
    let looks = 0;
    for (let atMs = 0; atMs < builtAfterMs || looks === 0; looks++)
      atMs += pollDelayMs(limits, looks, Number.MAX_SAFE_INTEGER);

    expect(looks).toBe(expected);
  });
});
