import type { OperationRounds } from '../../../bench/api/compare.ts';
import { goals, summarise } from '../../../bench/api/summary.ts';

const sample = (requestsPerSecond: number, p99Ms = 10) => ({
  requestsPerSecond,
  p50Ms: 5,
  p99Ms,
  cpuUsPerRequest: 100,
  loadCpuShare: 0.5,
});

/** Rounds of a machine that has half its speed in the second one. */
const measured: OperationRounds = {
  operation: 'detail',
  rounds: [
    {
      first: 'raw',
      small: { raw: sample(1_000), airline: sample(600) },
      large: { raw: sample(900), airline: sample(480) },
    },
    {
      first: 'airline',
      small: { raw: sample(500), airline: sample(300) },
      large: { raw: sample(450), airline: sample(240) },
    },
    {
      first: 'raw',
      small: { raw: sample(1_000), airline: sample(400, 90) },
      large: { raw: sample(900), airline: sample(320, 90) },
    },
  ],
};

describe('the summary of an operation', () => {
  it('takes the median of the ratios of rounds, which a slow round does not move', () => {
    const { sizes, growth } = summarise(measured);

    expect(sizes.small.ratio).toBeCloseTo(0.6);
    expect(sizes.small.raw.requestsPerSecond).toBe(1_000);
    expect(sizes.small.airline.requestsPerSecond).toBe(400);
    expect(sizes.large.ratio).toBeCloseTo(0.533);
    expect(growth).toEqual({ raw: expect.closeTo(0.9), airline: expect.closeTo(0.8) });
  });

  it('meets a goal at its very limit, and a latency only below it', () => {
    const summary = summarise(measured);
    const atLimits = {
      ...summary,
      growth: { raw: 1, airline: 0.8 },
      sizes: {
        small: { ...summary.sizes.small, ratio: 0.5, airline: sample(600, 49.9) },
        large: { ...summary.sizes.large, ratio: 0.49, airline: sample(480, 50) },
      },
    };

    expect(goals(atLimits).map(({ what, isMet }) => [what, isMet])).toEqual([
      ['detail: throughput as a share of raw, small', true],
      ['detail: throughput as a share of raw, large', false],
      ['detail: p99 in ms, small', true],
      ['detail: p99 in ms, large', false],
      ['detail: throughput large as a share of small', true],
    ]);
  });
});
