import { durationText, sizeText } from '../../../domain/text/quantity-text.ts';

it.each([
  [-5_000, '0 s'],
  [0, '0 s'],
  [400, 'under 1 s'],
  [42_000, '42 s'],
  [59_600, '59 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [7_205_000, '2 h'],
  [7_500_000, '2 h 5 min'],
  [100 * 3_600_000, '4 d 4 h'],
])('%i ms last "%s"', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [1_230, '1.2 kB'],
  [9_960, '10 kB'],
  [48_200, '48 kB'],
  [999_600, '1.0 MB'],
  [34_000_000, '34 MB'],
  [2_000_000_000, '2.0 GB'],
  [1e16, '10000 TB'],
])('%i bytes are "%s"', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
