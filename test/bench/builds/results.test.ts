import { acceptResult, POSTED, RAW, STARTED } from '../../../bench/builds/accept.ts';
import { evenSample, faultsOf, sourceCount } from '../../../bench/builds/flight.ts';
import type { BuildTally } from '../../../bench/builds/progress-tally.ts';
import { RATE } from '../../../bench/rounds.ts';

/** Rounds with so many raw starts, POSTs and started builds a second. */
const roundsOf = (...rounds: [raw: number, posted: number, started: number][]) =>
  new Map(
    [RAW, POSTED, STARTED].map((title, at) => [
      title,
      rounds.map((rates) => ({ [RATE]: rates[at] ?? Number.NaN })),
    ]),
  );

describe('the result of accepting', () => {
  it('takes the median of the shares of rounds', () => {
    const { tables } = acceptResult(roundsOf([100, 200, 80], [10, 20, 8], [100, 90, 20]), 100);

    expect(tables[0]).toMatchObject([
      { '': 'raw starts', 'a second': 100, 'share of the first': 1 },
      { '': 'POSTs answered 202', 'share of the first': 2 },
      { '': 'posted until started', 'share of the first': 0.8 },
    ]);
  });

  it('misses a goal where builds are accepted quickly and started slowly', () => {
    expect(acceptResult(roundsOf([100, 300, 69]), 100).goals).toMatchObject([
      { value: 3, limit: 0.7, isMet: true },
      { value: 0.69, limit: 0.7, isMet: false },
    ]);
    expect(acceptResult(roundsOf([100, 70, 300]), 100).goals).toMatchObject([
      { isMet: true },
      { isMet: true },
    ]);
  });
});

describe('the faults of a flight', () => {
  const complete: BuildTally = {
    messages: 3,
    finals: 1,
    isOutOfOrder: false,
    receivedAtMs: 0,
    failure: undefined,
  };
  const failed: BuildTally = { ...complete, failure: 'timed_out: too long' };
  const rows = { completed: 2, messages: 6 };
  const counts = (tallies: BuildTally[], found = rows) =>
    Object.values(faultsOf(2, tallies, found));

  it('are none where all have completed with all their messages', () => {
    expect(counts([complete, complete])).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['a build without messages', [complete], { completed: 2, messages: 3 }, [1, 1, 0, 0]],
    [
      'a build whose row is not completed',
      [complete, complete],
      { ...rows, completed: 1 },
      [1, 0, 0, 0],
    ],
    ['a failure', [complete, failed], { ...rows, completed: 1 }, [1, 0, 0, 0]],
    ['a second final message', [complete, { ...complete, finals: 2 }], rows, [0, 1, 0, 0]],
    ['a change of order', [complete, { ...complete, isOutOfOrder: true }], rows, [0, 0, 1, 0]],
    ['a message that is lost', [complete, complete], { ...rows, messages: 7 }, [0, 0, 0, 1]],
    ['a message that came twice', [complete, complete], { ...rows, messages: 5 }, [0, 0, 0, -1]],
  ])('count %s', (_, tallies, found, faults) => {
    expect(counts(tallies, found)).toEqual(faults);
  });
});

describe('few of many', () => {
  it('are taken from all parts', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => at);

    expect(evenSample(many, 4)).toEqual([0, 250, 500, 750]);
    expect(evenSample([1, 2, 3], 4)).toEqual([1, 2, 3]);
  });

  it.each([
    [30, 6],
    [10_000, 100],
  ])('sources are enough for %d builds', (builds, sources) => {
    expect(sourceCount(builds)).toBe(sources);
  });
});
