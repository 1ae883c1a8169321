import { eventCosts, looksUntil } from '../../../bench/builds/event-count.ts';
import { loadConfig } from '../../../main/config/config.ts';

describe('the number of looks', () => {
  const limits = loadConfig({}).build;

  it.each([
    ['at once', 0, 1],
    ['just before the first look', 10_000, 1],
    ['just after it', 10_001, 2],
    ['after a minute', 60_000, 3],
    ['after ten minutes', 600_000, 12],
  ])('by the default intervals, of a build that ends %s', (_, builtAfterMs, looks) => {
    expect(looksUntil(limits, builtAfterMs)).toBe(looks);
  });
});

describe('the cost of a look', () => {
  it('is the rise of the line that all builds are on', () => {
    const builds = [
      { looks: 3, events: 60 },
      { looks: 1, events: 38 },
      { looks: 2, events: 49 },
    ];

    expect(eventCosts(builds)).toEqual({ base: 27, perLook: 11 });
  });

  it('is none where a build is off the line, or all have as many looks', () => {
    const builds = [
      { looks: 1, events: 38 },
      { looks: 3, events: 60 },
    ];

    expect(() => eventCosts([...builds, { looks: 2, events: 52 }])).toThrow(
      '2 looks took 52 events, not 49',
    );
    expect(() => eventCosts(builds.slice(1))).toThrow('different numbers of looks');
  });
});
