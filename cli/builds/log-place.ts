/** By so many lines that were printed, the place in the whole log is found. */
const MARK_LINES = 8;

/** The last lines that were printed of a log without a gap between them, without the empty ones. */
export type Mark = readonly string[];

/** The mark once a line is printed, too. */
export function markWith(mark: Mark, text: string): Mark {
  return text.trim() === '' ? mark : [...mark, text].slice(-MARK_LINES);
}

/**
 * Where a log goes on after lines that were printed: behind the last place where they stand. The page that they came
 * from may begin within a line; it leaves out empty lines, and spaces at the ends of lines.
 *
 * @param whole the lines of the whole log
 * @param mark the last lines that were printed
 * @returns how many lines come before; 0 where nothing was printed; undefined where the mark is not in the log
 */
export async function placeAfter(
  whole: AsyncIterable<string>,
  mark: Mark,
): Promise<number | undefined> {
  if (mark.length === 0) return 0;
  const wanted = mark.map((text) => text.trimEnd());
  let place: number | undefined;
  let count = 0;
  let latest: string[] = [];
  for await (const text of whole) {
    count += 1;
    if (text.trim() === '') continue;
    latest = [...latest, text.trimEnd()].slice(-wanted.length);
    if (latest.length === wanted.length && isSame(latest, wanted)) place = count;
  }
  return place;
}

function isSame(lines: readonly string[], wanted: Mark): boolean {
  return lines.every((line, at) => {
    const text = wanted[at] ?? '';
    return at === 0 ? line.endsWith(text) : line === text;
  });
}
