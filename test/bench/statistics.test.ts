import { median, quantile } from '../../bench/statistics.ts';

describe('the median', () => {
  it('is the middle value, or the mean of the middle two', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow('no median');
  });
});

it('a quantile is the value that the share does not exceed', () => {
  const hundred = Float64Array.from({ length: 100 }, (_, at) => at + 1);

  expect(quantile(hundred, 0.99)).toBe(99);
  expect(quantile(hundred, 0.5)).toBe(50);
  expect(quantile(Float64Array.of(7), 0.5)).toBe(7);
  expect(() => quantile(new Float64Array(), 0.5)).toThrow('nothing');
});
