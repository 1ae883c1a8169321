import type { LogPart } from './log-parts.ts';

/** The rows of a log whose parts may be folded: of a folded part there is the line of its title alone. */
export class LogRows {
  /** Stretches of lines that are shown, each with the number of rows before it. */
  private readonly shown: { first: number; last: number; before: number }[] = [];
  readonly count: number;

  /** @param folded the title lines of the parts that are folded */
  constructor(lines: number, parts: readonly LogPart[], folded: ReadonlySet<number>) {
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
    this.count = rows;
  }

  /** The line in a row, both by their numbers: rows from 0, lines from 1. */
  lineAt(row: number): number {
    const stretch = this.shown.findLast(({ before }) => before <= row);
    return stretch ? stretch.first + row - stretch.before : 1;
  }

  /** The row of a line; of one that is folded away, that of its part. */
  rowOf(line: number): number {
    const stretch = this.shown.findLast(({ first }) => first <= line) ?? this.shown[0];
    return stretch
      ? stretch.before + Math.min(Math.max(line, stretch.first), stretch.last) - stretch.first
      : 0;
  }
}
