import { acceptResult, POSTED, RAW, STARTED } from '../../../bench/builds/accept.ts';
import { evenSample, faultsOf, flightResult, sourceCount } from '../../../bench/builds/flight.ts';
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

describe('the goals of a flight', () => {
  /** What was measured of 800 builds for which the worker took so much at most. */
  const flown = (workerPeakMiB: number, workerCores: number) => {
    const inTime = { count: 56, p50Ms: 10_000, p99Ms: 29_000, maxMs: 29_500 };
    return {
      rampMs: 103_000,
      drainMs: 45_000,
      workerBytes: 500 * 2 ** 20,
      workerPeakBytes: workerPeakMiB * 2 ** 20,
      callsPerSecond: 1.9,
      cores: { worker: workerCores, temporal: 0.03, 'stand-in': 0.01 },
      events: 40,
      latencies: { cohort: inTime, drain: inTime },
      faults: faultsOf(0, [], { completed: 0, messages: 0 }),
      failures: [],
    };
  };
  const missed = (modes: Parameters<typeof flightResult>[1]) =>
    flightResult({ builds: 800, pollMaxMs: 30_000 }, modes)
      .goals.filter(({ isMet }) => !isMet)
      .map(({ what }) => what);

  it('are half the memory and a tenth of the cores of builds that poll alone', () => {
    const alone = flown(812, 0.74);

    expect(missed({ alone, watched: flown(406, 0.07) })).toEqual([]);
    expect(missed({ alone, watched: flown(566, 0.08) })).toEqual([
      'share of the peak memory of the worker of builds that poll alone',
      'share of the worker cores of builds that poll alone',
    ]);
  });

  it('are a gibibyte of memory where nothing polls alone', () => {
    expect(missed({ watched: flown(1_024, 1) })).toEqual([]);
    expect(missed({ watched: flown(1_025, 1) })).toEqual(['peak memory of the worker, MiB']);
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
