import { createColour } from '../../cli/output/colours.ts';
import { renderTable, type Column } from '../../cli/output/table.ts';
import { wrapText } from '../../cli/output/wrap-text.ts';

type Row = { id: number; step: string; who: string; why: string };

const COLUMNS: Column<Row>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'STEP', cell: ({ step }) => step },
  { head: 'FROM', cell: ({ step }) => step },
  { head: 'WHO', cell: ({ who }) => who, isFlexible: true },
  { head: 'WHY', cell: ({ why }) => why, isFlexible: true },
];
const ROW = { id: 441, step: '200 Package Building', who: 'anonymous', why: 'x'.repeat(500) };

const render = (width: number | undefined, rows = [ROW]) =>
  renderTable(rows, COLUMNS, { colour: createColour(false), width, isWide: false }).split('\n');

describe('a table', () => {
  it.each([40, 60, 80, 200])('fits a terminal of %i columns', (width) => {
    for (const line of render(width)) expect(line.length).toBeLessThanOrEqual(width);
    expect(render(width)[1]).toMatch(/^441 /);
  });

  it('cuts what is flexible before anything else', () => {
    expect(render(80)[1]).toContain('200 Package Building');
  });

  it('cuts nothing in a pipe, and one long cell does not pad the others', () => {
    const [head = '', long, short = ''] = render(undefined, [ROW, { ...ROW, who: 'ann' }]);
    expect(long).toContain('x'.repeat(500));
    expect(head.length).toBeLessThan(200);
    expect(short).toContain('ann');
  });
});

describe('wrapText', () => {
  it.each([60, 80])('breaks at spaces only, for %i columns', (width) => {
    const text = 'as `airline ticket land` does: --target is needed then, and --ppa is not '.repeat(
      9,
    );
    const lines = wrapText(text.trim(), width).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines.join(' ')).toBe(text.trim());
  });

  it('indents what goes on', () => {
    expect(wrapText('  # one two', 7, '  # ')).toBe('  # one\n  # two');
  });
});
