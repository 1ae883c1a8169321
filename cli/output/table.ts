import stringWidth from 'string-width';
import { usageError } from '../command-error.ts';
import type { Colour, Tone } from './colours.ts';
import { printableLine } from '../../domain/text/printable.ts';

/** A column of a table: its head, and the cell of each row. */
export type Column<T> = {
  readonly head: string;
  readonly cell: (row: T) => string | number | null | undefined;
  readonly tone?: (row: T) => Tone;
  /** Is cut first where the terminal is too narrow. */
  readonly isFlexible?: boolean;
  /** Is shown with `-o wide` only. */
  readonly isWide?: boolean;
};

const GAP = 2;
/** Flexible columns are cut to this first; where that is not enough, every column but the first to the other. */
const MIN_WIDTH = 8;
const MIN_WIDTH_OF_ANY = 4;
const MAX_PADDING = 100;

/**
 * The columns that are asked for, in that order.
 *
 * @param names their heads, in any case and with - for a space
 * @throws CommandError `usage`
 */
export function chooseColumns<T>(
  columns: readonly Column<T>[],
  names: readonly string[],
): Column<T>[] {
  const nameOf = ({ head }: Column<T>) => head.toLowerCase().replaceAll(' ', '-');
  return names.map((name) => {
    const found = columns.find((one) => nameOf(one) === name.toLowerCase());
    if (found) return found;
    throw usageError(
      `There is no column ${JSON.stringify(name)}.`,
      `The columns are ${columns.map(nameOf).join(', ')}.`,
    );
  });
}

/**
 * Aligned columns without lines.
 *
 * @param options.width of the terminal, in characters; undefined: nothing is cut
 */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: { colour: Colour; width: number | undefined; isWide: boolean },
): string {
  const { colour, width, isWide } = options;
  const shown = columns.filter((column) => isWide || column.isWide !== true);
  const texts = rows.map((row) => shown.map((column) => cellText(column.cell(row))));
  const widths = fit(shown, texts, width);
  const line = (cells: readonly string[], tones: readonly Tone[]) =>
    cells
      .map((cell, at) => {
        const text = cutToWidth(cell, widths[at] ?? 0);
        // The padding of the last column would only be trailing space.
        const padded = width === undefined ? Math.min(widths[at] ?? 0, MAX_PADDING) : widths[at];
        const gap = Math.max(0, (padded ?? 0) - stringWidth(text)) + GAP;
        const padding = at === cells.length - 1 ? '' : ' '.repeat(gap);
        return colour(tones[at] ?? 'plain', text) + padding;
      })
      .join('');
  return [
    line(
      shown.map(({ head }) => head),
      shown.map(() => 'strong'),
    ),
    ...rows.map((row, at) =>
      line(
        texts[at] ?? [],
        shown.map((column) => column.tone?.(row) ?? 'plain'),
      ),
    ),
  ].join('\n');
}

function cellText(value: string | number | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : printableLine(String(value));
}

function fit<T>(
  columns: readonly Column<T>[],
  texts: readonly (readonly string[])[],
  width: number | undefined,
): number[] {
  const widths = columns.map(({ head }, at) =>
    Math.max(head.length, ...texts.map((row) => stringWidth(row[at] ?? ''))),
  );
  // In a pipe nothing is cut: what is very long pushes its own row only.
  if (width === undefined) return widths;
  let over = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  const widest = (least: number, isMeant: (column: Column<T>, at: number) => boolean) =>
    widths
      .map((one, at) => ({ at, width: one, column: columns[at] }))
      .filter((one) => one.column && one.width > least && isMeant(one.column, one.at))
      .toSorted((one, other) => other.width - one.width)[0];
  while (over > 0) {
    const found =
      widest(MIN_WIDTH, ({ isFlexible }) => isFlexible === true) ??
      widest(MIN_WIDTH_OF_ANY, (_, at) => at > 0);
    if (!found) return widths;
    widths[found.at] = found.width - 1;
    over -= 1;
  }
  return widths;
}

/** Cuts a text to a width in characters; an ellipsis says that it went on. */
export function cutToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
