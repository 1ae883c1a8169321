import { addToTail, MAX_TAIL, MISSING_LINES } from '../../../domain/builds/log-tail.ts';

const NOTHING = { text: '', end: 0 };
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at} of a log`).join('\n');

describe('the end of a log that grows', () => {
  it('takes what is new alone, wherever in a line the reading begins', () => {
    const first = addToTail(NOTHING, lines(1, 20));
    const second = addToTail(first, lines(10, 30).slice(7));
    expect(second.text).toBe(lines(1, 30));
    expect(second.end).toBe(lines(1, 30).length);
    expect(addToTail(second, lines(25, 30))).toEqual(second);
  });

  it('goes on from a beginning that was short', () => {
    expect(addToTail({ text: 'cc', end: 2 }, 'cc -c a.c').text).toBe('cc -c a.c');
  });

  it('says where lines are missing', () => {
    const { text } = addToTail(addToTail(NOTHING, lines(1, 20)), lines(90, 99));
    expect(text).toBe(`${lines(1, 20)}\n${MISSING_LINES}\n${lines(90, 99)}`);
  });

  it('keeps so many characters, and counts all of them', () => {
    let tail = NOTHING;
    for (let line = 1; line < 9_000; line += 100) tail = addToTail(tail, lines(line, line + 200));
    expect(tail.text).toHaveLength(MAX_TAIL);
    expect(tail.end).toBe(lines(1, 9_101).length);
  });
});
