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
