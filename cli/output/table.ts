import stringWidth from 'string-width';
import type { Colour, Tone } from './colours.ts';
import { printableLine } from '../../domain/printable.ts';

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
const MIN_WIDTH = 8;
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
        const text = cut(cell, widths[at] ?? 0);
        // The padding of the last column would only be trailing space.
        const gap = (widths[at] ?? 0) - stringWidth(text) + GAP;
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
  if (width === undefined) return widths;
  let over = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  while (over > 0) {
    const [widest] = columns
      .map((column, at) => ({ at, width: widths[at] ?? 0, isFlexible: column.isFlexible === true }))
      .filter((one) => one.isFlexible && one.width > MIN_WIDTH)
      .toSorted((one, other) => other.width - one.width);
    if (!widest) return widths;
    widths[widest.at] = widest.width - 1;
    over -= 1;
  }
  return widths;
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
