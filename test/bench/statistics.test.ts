import { median, spreadOf } from '../../bench/statistics.ts';

describe('the median', () => {
  it('is the middle value, or the mean of the middle two', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow('no median');
  });
});

describe('the spread of durations', () => {
  it('has the middle, the hundredth from the top and the longest', () => {
    const durations = Array.from({ length: 200 }, (_, at) => 200 - at);

    expect(spreadOf(durations)).toEqual({ count: 200, p50Ms: 100, p99Ms: 198, maxMs: 200 });
    expect(spreadOf([7])).toEqual({ count: 1, p50Ms: 7, p99Ms: 7, maxMs: 7 });
  });

  it('needs durations, and each of them', () => {
    expect(() => spreadOf([])).toThrow('quantile of nothing');
    expect(() => spreadOf([1, Number.NaN])).toThrow('missing');
  });
});
