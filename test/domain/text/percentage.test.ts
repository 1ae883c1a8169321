import { percentage } from '../../../domain/text/percentage.ts';

test.each([
  [0, '0 %'],
  [0.001, '1 %'],
  [2 / 3, '67 %'],
  [0.999, '99 %'],
  [1, '100 %'],
])('a share of %d is %s', (share, text) => {
  expect(percentage(share)).toBe(text);
});
