import type { LogText } from './log-text.ts';

/** A part of a log under a heading of sbuild: three lines, of which the second has the title. */
export type LogPart = {
  title: string;
  /** The line of the title. */
  titleLine: number;
  /** From the line above the title to the one before the next heading. */
  first: number;
  last: number;
};

const RULE = /^\+[-=]{20,}\+$/;
const TITLE = /^\|\s(.*?)\s*\|$/;
/** More than sbuild writes; a log that has more is not one of its. */
const MAX_PARTS = 100;

/** The parts of a log of sbuild, in order; none where it has no such headings. */
export function partsOfLog(text: LogText): LogPart[] {
  const parts: LogPart[] = [];
  for (const rule of text.find('+----', MAX_PARTS * 2)) {
    const title = TITLE.exec(text.line(rule + 1))?.[1];
    if (title === undefined || !RULE.test(text.line(rule)) || !RULE.test(text.line(rule + 2)))
      continue;
    const before = parts.at(-1);
    if (before) before.last = rule - 1;
    parts.push({ title, titleLine: rule + 1, first: rule, last: text.count });
    if (parts.length === MAX_PARTS) break;
  }
  return parts;
}

/** The rows of a log whose parts may be folded: of a folded part there is the line of its title alone. */
export class LogRows {
  /** Stretches of lines that are shown, each with the number of rows before it. */
  readonly #shown: { first: number; last: number; before: number }[] = [];
  readonly count: number;

  /** @param folded the title lines of the parts that are folded */
  constructor(lines: number, parts: readonly LogPart[], folded: ReadonlySet<number>) {
    let rows = 0;
    const show = (first: number, last: number) => {
      if (last < first) return;
      this.#shown.push({ first, last, before: rows });
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
    const stretch = this.#shown.findLast(({ before }) => before <= row);
    return stretch ? stretch.first + row - stretch.before : 1;
  }

  /** The row of a line; of one that is folded away, that of its part. */
  rowOf(line: number): number {
    const stretch = this.#shown.findLast(({ first }) => first <= line) ?? this.#shown[0];
    return stretch
      ? stretch.before + Math.min(Math.max(line, stretch.first), stretch.last) - stretch.first
      : 0;
  }
}

/** What is folded at first: all but what it was built by, what it ended with, and what holds one of the lines. */
export function foldedAtFirst(
  parts: readonly LogPart[],
  lines: readonly (number | undefined)[],
): ReadonlySet<number> {
  const isOpen = ({ title, first, last }: LogPart) =>
    title === 'Build' ||
    title === 'Summary' ||
    lines.some((line) => line !== undefined && first <= line && line <= last);
  return new Set(parts.filter((part) => !isOpen(part)).map(({ titleLine }) => titleLine));
}
