import { LogText, MAX_MATCHES, partsOf } from '../../web/log/log-text.ts';

describe('a log as text', () => {
  it('has its lines by number, whatever ends them', () => {
    const log = new LogText('one\ntwo\r\n\nfour');
    expect(log.count).toBe(4);
    expect([1, 2, 3, 4].map((number) => log.line(number))).toEqual(['one', 'two', '', 'four']);
  });

  it('has no line after its last end, and none where it is empty', () => {
    expect(new LogText('one\n').count).toBe(1);
    expect(new LogText('').count).toBe(0);
  });

  it('grows past what it reserves at first', () => {
    const log = new LogText('x\n'.repeat(200_001));
    expect(log.count).toBe(200_001);
    expect(log.line(200_001)).toBe('x');
  });

  it('finds each line once, whatever the case, and takes a search as text', () => {
    const log = new LogText('Error: a.c\nnothing\nerror error\nERROR (x)\nİ error\n');
    expect(log.find('error')).toEqual([1, 3, 4, 5]);
    expect(log.find('(x)')).toEqual([4]);
    expect(log.find('.')).toEqual([1]);
    expect(log.find('absent')).toEqual([]);
    expect(log.find('')).toEqual([]);
  });

  it('stops at the most matches that there may be', () => {
    expect(new LogText('a\n'.repeat(MAX_MATCHES + 5)).find('a')).toHaveLength(MAX_MATCHES);
  });
});

describe('a line in parts', () => {
  it('tells what matches from what does not', () => {
    expect(partsOf('an Error, an error', 'error')).toEqual([
      { text: 'an ', isMatch: false },
      { text: 'Error', isMatch: true },
      { text: ', an ', isMatch: false },
      { text: 'error', isMatch: true },
    ]);
    expect(partsOf('plain', '')).toEqual([{ text: 'plain', isMatch: false }]);
  });
});
