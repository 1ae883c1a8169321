import { goals, summariseOperation, type Measured } from '../../../bench/api/api-result.ts';
import { OPERATIONS, type Operation } from '../../../bench/api/operations.ts';
import { AIRLINE, PEER, targetTitle } from '../../../bench/api/targets.ts';
import { RATE } from '../../../bench/rounds.ts';

const detail = OPERATIONS.find(({ name }) => name === 'detail') as Operation;
const samples = (rates: number[], p99Ms = 10) =>
  rates.map((rate) => ({ [RATE]: rate, 'p99, ms': p99Ms }));

/** Rounds of a machine that has half its speed in the second one. */
const measured = (
  airline: { small: number[]; large: number[] },
  p99Ms = { small: 10, large: 10 },
): Measured =>
  new Map([
    [
      'detail',
      new Map([
        [targetTitle(PEER, 'small'), samples([1_000, 500, 1_000])],
        [targetTitle(AIRLINE, 'small'), samples(airline.small, p99Ms.small)],
        [targetTitle(PEER, 'large'), samples([900, 450, 900])],
        [targetTitle(AIRLINE, 'large'), samples(airline.large, p99Ms.large)],
      ]),
    ],
    ['post', new Map([[targetTitle(PEER, 'small'), samples([10, 10, 10])]])],
  ]);

describe('the result of a comparison', () => {
  it('takes the median of the shares of rounds, of the first on the same database and of the small one', () => {
    const rows = summariseOperation(
      'api',
      detail,
      measured({ small: [600, 300, 400], large: [480, 240, 320] }),
    );

    expect(rows.map((row) => [row['detail'], row['database'], row[RATE]])).toEqual([
      [PEER, 'small', 1_000],
      [AIRLINE, 'small', 400],
      [PEER, 'large', 900],
      [AIRLINE, 'large', 320],
    ]);
    expect(rows.map((row) => row['share of the first'])).toEqual([
      1,
      expect.closeTo(0.6),
      1,
      expect.closeTo(0.533),
    ]);
    expect(rows.map((row) => row['share of small'])).toEqual([
      1,
      1,
      expect.closeTo(0.9),
      expect.closeTo(0.8),
    ]);
  });

  it('meets a goal at its very limit, and a latency only below it', () => {
    const atLimits = measured(
      { small: [500, 250, 500], large: [400, 200, 400] },
      { small: 49.9, large: 50 },
    );

    expect(goals('api', detail, atLimits).map(({ what, isMet }) => [what, isMet])).toEqual([
      ["detail, small: throughput as a share of the peer's", true],
      ['detail, small: p99 in ms', true],
      ["detail, large: throughput as a share of the peer's", false],
      ['detail, large: p99 in ms', false],
      ['detail: throughput large as a share of small', true],
    ]);
  });
});
