import { printable } from '../domain/text/printable.ts';
import { shortened } from '../domain/text/shortened.ts';
import { withoutMiddle } from './without-middle.ts';

/** At most so many lines of a log are in an excerpt. */
export const EXCERPT_LINES = 12;
/** At most so many characters are in an excerpt. */
export const EXCERPT_CHARACTERS = 2_000;
/** So many lines before the one that counts are kept for its excerpt. */
export const LINES_BEFORE = 4;
const NEIGHBOUR_CHARACTERS = 240;

/** A line of a log with its neighbours. */
export type Passage = {
  /** The line's number, from 1. */
  line: number;
  lines: string[];
  /** Which of `lines` it is, from 0. */
  own: number;
};

/** The lines of a passage that fit, its own one always among them, and the number of the first, from 1. */
export function excerptOf({ lines, own, line }: Passage): {
  excerpt: string;
  excerptLine: number;
} {
  const shown = lines.map((each, at) =>
    at === own ? withoutMiddle(plain(each)) : shortened(plain(each), NEIGHBOUR_CHARACTERS),
  );
  let from = own;
  let to = own + 1;
  let room = EXCERPT_CHARACTERS - (shown[own]?.length ?? 0);
  while (from > 0 && room > (shown[from - 1] ?? '').length)
    room -= (shown[--from] ?? '').length + 1;
  while (to < shown.length && room > (shown[to] ?? '').length)
    room -= (shown[to++] ?? '').length + 1;
  while (from < own && shown[from] === '') from += 1;
  return {
    excerpt: shown.slice(from, to).join('\n').replace(/\n+$/, ''),
    excerptLine: line - own + from,
  };
}

function plain(line: string): string {
  return printable(line.replaceAll('\t', '    '));
}
