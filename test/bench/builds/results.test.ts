import { acceptResult, type AcceptRound } from '../../../bench/builds/accept.ts';
import { isSound, type Outcome } from '../../../bench/builds/flight.ts';
import { evenSample } from '../../../bench/builds/read-histories.ts';
import { sourceCount } from '../../../bench/builds/scale-sources.ts';

const throughput = (perSecond: number) => ({ perSecond, count: 1, p50Ms: 5, p99Ms: 9, maxMs: 9 });
const round = (raw: number, accepted: number, started: number): AcceptRound => ({
  first: 'raw',
  raw: throughput(raw),
  accepted: throughput(accepted),
  startedPerSecond: started,
  backlog: 0,
});

describe('the result of accepting', () => {
  it('takes the median of the shares of rounds', () => {
    const { tables } = acceptResult(
      [round(100, 200, 80), round(10, 20, 8), round(100, 90, 20)],
      100,
    );

    expect(tables[0]).toMatchObject([
      { '': 'raw starts', 'a second': 100, 'share of raw starts': 1 },
      { '': 'POSTs answered 202', 'share of raw starts': 2 },
      { '': 'posted until started', 'share of raw starts': 0.8 },
    ]);
  });

  it('misses a goal where builds are accepted quickly and started slowly', () => {
    expect(acceptResult([round(100, 300, 69)], 100).goals).toMatchObject([
      { value: 3, limit: 0.7, isMet: true },
      { value: 0.69, limit: 0.7, isMet: false },
    ]);
    expect(acceptResult([round(100, 70, 300)], 100).goals).toMatchObject([
      { isMet: true },
      { isMet: true },
    ]);
  });
});

describe('the outcome of a flight', () => {
  const sound: Outcome = {
    builds: 10,
    completed: 10,
    failures: [],
    withoutOneFinal: 0,
    outOfOrder: 0,
    lostMessages: 0,
    unpublished: 0,
  };

  it.each([
    ['one build less', { completed: 9 }],
    ['a failure', { failures: ['timed_out: too long'] }],
    ['a second final message', { withoutOneFinal: 1 }],
    ['a change of order', { outOfOrder: 1 }],
    ['a message that is lost', { lostMessages: 1 }],
    ['a message that came twice', { lostMessages: -1 }],
  ])('is not sound with %s', (_, fault) => {
    expect(isSound(sound)).toBe(true);
    expect(isSound({ ...sound, ...fault })).toBe(false);
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
