import { LogRows } from '../../web/log/log-rows.ts';

const MANY_LINES = 2_000_000;
const MAX_ROWS = 700_000;

describe('the rows of a log of more lines than can be drawn', () => {
  it('are those around a line', () => {
    const rows = new LogRows(MANY_LINES, [], new Set(), 1_000_000);
    expect([rows.count, rows.areAll]).toEqual([MAX_ROWS, false]);
    expect([rows.lineAt(0), rows.lineAt(MAX_ROWS - 1)]).toEqual([650_000, 1_349_999]);
    expect(rows.lineAt(rows.rowOf(1_000_000))).toBe(1_000_000);
    expect([649_999, 650_000, 1_349_999, 1_350_000].map((line) => rows.has(line))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('are the last where that line is near the end', () => {
    const rows = new LogRows(MANY_LINES, [], new Set(), MANY_LINES);
    expect([rows.lineAt(0), rows.lineAt(MAX_ROWS - 1)]).toEqual([1_300_001, MANY_LINES]);
  });

  it('are all where enough of it is folded', () => {
    const build = { title: 'Build', first: 10, titleLine: 11, last: 1_900_000 };
    const rows = new LogRows(MANY_LINES, [build], new Set([11]), 1_950_000);
    expect([rows.count, rows.areAll]).toEqual([100_010, true]);
    expect(rows.lineAt(rows.rowOf(1_950_000))).toBe(1_950_000);
    expect(rows.rowOf(500_000)).toBe(rows.rowOf(11));
  });
});
