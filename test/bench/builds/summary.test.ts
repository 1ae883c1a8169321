import type { AcceptRound } from '../../../bench/builds/accept.ts';
import { isSound, type Outcome } from '../../../bench/builds/flight.ts';
import { evenSample } from '../../../bench/builds/read-histories.ts';
import { sourceCount } from '../../../bench/builds/scale-sources.ts';
import { goals, summariseAccept } from '../../../bench/builds/summary.ts';

const throughput = (perSecond: number) => ({ perSecond, p50Ms: 5, p99Ms: 9 });
const round = (raw: number, accepted: number, started: number): AcceptRound => ({
  first: 'raw',
  raw: { ...throughput(raw), cores: {} },
  accepted: throughput(accepted),
  startedPerSecond: started,
  backlog: 0,
  cores: {},
  layers: { rowsPerSecond: 1, startsPerSecond: 1, backlogPerSecond: 1 },
});
const acceptOf = (...rounds: AcceptRound[]) => ({ perRound: 100, inputBytes: 1_000, rounds });

describe('the summary of accepting', () => {
  it('takes the median of the ratios of rounds, and holds the goal against the slower of both', () => {
    const summary = summariseAccept(
      acceptOf(round(100, 200, 80), round(10, 20, 8), round(100, 90, 20)),
    );

    expect(summary).toMatchObject({
      rawPerSecond: 100,
      acceptedRatio: 2,
      startedRatio: 0.8,
      ratio: 0.8,
    });
  });

  it('misses its goal where builds are accepted quickly and started slowly', () => {
    const [goal] = goals({ accept: acceptOf(round(100, 300, 69)) });

    expect(goal).toMatchObject({ value: 0.69, limit: 0.7, isMet: false });
    expect(goals({ accept: acceptOf(round(100, 70, 300)) })).toMatchObject([{ isMet: true }]);
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
