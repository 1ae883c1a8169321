import { NOT_BLANK } from '../../../api/rest/field-values.ts';
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
