import type { LogPart } from './log-parts.ts';

/** No browser draws an element that is as high as more rows. Firefox is the first to stop, at 17.9 million pixels. */
const MAX_ROWS = 700_000;

/**
 * The rows of a log whose parts may be folded: of a folded part there is the line of its title alone. Of a log with
 * more rows than can be drawn there are those around one line.
 */
export class LogRows {
  /** Stretches of lines that are shown, each with the number of rows before it. */
  private readonly shown: { first: number; last: number; before: number }[] = [];
  /** Rows that are left out before the first. */
  private readonly leftOut: number;
  readonly count: number;
  /** Whether all rows are there. */
  readonly areAll: boolean;

  /**
   * @param folded the title lines of the parts that are folded
   * @param near the line whose row is there in any case
   */
  constructor(lines: number, parts: readonly LogPart[], folded: ReadonlySet<number>, near: number) {
    let rows = 0;
    const show = (first: number, last: number) => {
      if (last < first) return;
      this.shown.push({ first, last, before: rows });
      rows += last - first + 1;
    };
    let next = 1;
    for (const part of parts) {
      if (!folded.has(part.titleLine)) continue;
      show(next, part.first - 1);
      show(part.titleLine, part.titleLine);
      next = part.last + 1;
    }
    show(next, lines);
    this.count = Math.min(rows, MAX_ROWS);
    this.areAll = this.count === rows;
    const first = this.rowInAll(near) - Math.floor(MAX_ROWS / 2);
    this.leftOut = Math.max(0, Math.min(first, rows - this.count));
  }

  /** The line in a row, both by their numbers: rows from 0, lines from 1. */
  lineAt(row: number): number {
    const inAll = row + this.leftOut;
    const stretch = this.shown.findLast(({ before }) => before <= inAll);
    return stretch ? stretch.first + inAll - stretch.before : 1;
  }

  /** The row of a line; of one that is folded away, that of its part. It is no row of these where `has` says so. */
  rowOf(line: number): number {
    return this.rowInAll(line) - this.leftOut;
  }

  /** Whether the row of a line is there. */
  has(line: number): boolean {
    const row = this.rowOf(line);
    return 0 <= row && row < this.count;
  }

  private rowInAll(line: number): number {
    const stretch = this.shown.findLast(({ first }) => first <= line) ?? this.shown[0];
    return stretch
      ? stretch.before + Math.min(Math.max(line, stretch.first), stretch.last) - stretch.first
      : 0;
  }
}
