import {
  printable,
  printableJson,
  printableLine,
  printableThroughout,
} from '../../../domain/text/printable.ts';

describe('a text from outside', () => {
  test.each([
    ['an escape character', '\u001b[31m', '␛[31m'],
    ['an override of the direction of text', 'a\u202eb', 'a<U+202E>b'],
    ['the first half of a character', 'x\ud83d', 'x<U+D83D>'],
    ['the second half of a character', '\ude00x', '<U+DE00>x'],
  ])('has %s made visible', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('keeps its lines, its tabs and its emoji', () => {
    expect(printable('a\tb\n😀')).toBe('a\tb\n😀');
  });

  test('is one line where one is asked for', () => {
    expect(printableLine('a\tb \r\n  c\u001bd')).toBe('a b c␛d');
    expect(printableLine('a  b\n\n')).toBe('a  b ');
  });

  test('is one line in a moment, however many blanks it has', () => {
    const text = `a${' '.repeat(1_000_000)}b`;
    const startedAt = performance.now();
    expect(printableLine(text) === text).toBe(true);
    // What tries each of the blanks anew would need an hour.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('is all escapes in JSON, which stays the same', () => {
    const value = { a: '\u001b\u009b\u007f\u202e\u2028\u061c\ud83d 😀' };
    const json = printableJson(JSON.stringify(value));
    expect(json).toBe(String.raw`{"a":"\u001b\u009b\u007f\u202e\u2028\u061c\ud83d 😀"}`);
    expect(JSON.parse(json)).toEqual(value);
  });

  test('is made visible wherever it is in a value of JSON, and nothing else is changed', () => {
    const value = { a: ['\u0000', { b: 'c\ud83d' }], n: 1, none: null };
    expect(printableThroughout(value)).toEqual({ a: ['␀', { b: 'c<U+D83D>' }], n: 1, none: null });
  });
});
