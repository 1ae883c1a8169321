import { NOT_BLANK, readTime } from '../../../api/rest/field-values.ts';
import { text } from '../../../api/rest/fields.ts';

describe('a text that has to have something in it', () => {
  it.each(['a', ' a', 'a ', '\n\u00a0a b\n', '\ufeff.'])('is %j', (given) => {
    expect(NOT_BLANK.test(given)).toBe(true);
  });

  it.each(['', ' ', '\n\u00a0\t', '\0', ' \0', '\0a', 'a\0', ' a\0b'])('is not %j', (given) => {
    expect(NOT_BLANK.test(given)).toBe(false);
  });

  it.each([
    ['a letter, and NUL', `${'a'.repeat(200_000)}\0`],
    ['a space, and NUL', `${' '.repeat(200_000)}\0`],
    ['a space', ' '.repeat(200_000)],
  ])('is refused at once where it is 200,000 times %s', (_name, given) => {
    const before = process.cpuUsage();
    expect(text({ help: '' }).input.safeParse(given).success).toBe(false);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

describe('a point in time', () => {
  it.each([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2024-02-29 23:30', '2024-02-29T23:30:00.000Z'],
    ['2026-12-31T23:30:00.5-01:00', '2027-01-01T00:30:00.500Z'],
    ['2026-02-28T24:00:00Z', '2026-03-01T00:00:00.000Z'],
  ])('is %s', (given, time) => {
    expect(readTime(given)?.toISOString()).toBe(time);
  });

  it.each(['2026-02-29', '2026-02-31', '2026-04-31T12:00:00+02:00', '2026-02-32', '2026-13-01'])(
    'is not on %s, which no calendar has',
    (given) => {
      expect(readTime(given)).toBeUndefined();
    },
  );
});
