import type { Measured } from '../../../bench/api/measured.ts';
import { goals, summarise } from '../../../bench/api/summary.ts';
import { AIRLINE, PEER } from '../../../bench/api/targets.ts';

const sample = (requestsPerSecond: number, p99Ms = 10) => ({
  requestsPerSecond,
  p50Ms: 5,
  p99Ms,
  cpuUsPerRequest: 100,
  loadCpuShare: 0.5,
});

/** Rounds of a machine that has half its speed in the second one. */
const measured: Measured[] = [
  {
    operation: 'detail',
    title: PEER,
    size: 'small',
    samples: [sample(1_000), sample(500), sample(1_000)],
  },
  {
    operation: 'detail',
    title: AIRLINE,
    size: 'small',
    samples: [sample(600), sample(300), sample(400, 90)],
  },
  {
    operation: 'detail',
    title: PEER,
    size: 'large',
    samples: [sample(900), sample(450), sample(900)],
  },
  {
    operation: 'detail',
    title: AIRLINE,
    size: 'large',
    samples: [sample(480), sample(240), sample(320, 90)],
  },
];

describe('the summary of a comparison', () => {
  it('takes the median of the shares of rounds, which a slow round does not move', () => {
    const rows = summarise(measured);

    expect(rows.map(({ share }) => share)).toEqual([
      1,
      expect.closeTo(0.6),
      1,
      expect.closeTo(0.533),
    ]);
    expect(rows.map(({ sample: { requestsPerSecond } }) => requestsPerSecond)).toEqual([
      1_000, 400, 900, 320,
    ]);
    expect(rows.map(({ growth }) => growth)).toEqual([
      1,
      1,
      expect.closeTo(0.9),
      expect.closeTo(0.8),
    ]);
  });

  it('compares the same operation only', () => {
    const posts = measured.map((one) => ({
      ...one,
      operation: 'post' as const,
      samples: [sample(10)],
    }));

    const rows = summarise([...measured, ...posts]);

    expect(rows.slice(4).map(({ share, growth }) => [share, growth])).toEqual(
      Array.from({ length: 4 }, () => [1, 1]),
    );
  });

  it('meets a goal at its very limit, and a latency only below it', () => {
    const [peer, small, largePeer, large] = summarise(measured);
    if (!peer || !small || !largePeer || !large) throw new Error('a row is missing');
    const atLimits = [
      peer,
      { ...small, share: 0.5, sample: sample(600, 49.9) },
      largePeer,
      { ...large, share: 0.49, growth: 0.8, sample: sample(480, 50) },
    ];

    expect(goals('api', atLimits).map(({ what, isMet }) => [what, isMet])).toEqual([
      ["detail, small: throughput as a share of the peer's", true],
      ['detail, small: p99 in ms', true],
      ["detail, large: throughput as a share of the peer's", false],
      ['detail, large: p99 in ms', false],
      ['detail: throughput large as a share of small', true],
    ]);
  });
});
