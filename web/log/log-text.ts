const FIRST_LINES = 65_536;
/** Lines that a search finds at most. */
export const MAX_MATCHES = 10_000;

/** A log as one text, with where its lines begin: 200,000 lines are a few megabytes and no more. */
export class LogText {
  private readonly text: string;
  private readonly starts: Uint32Array;
  /** How many lines it has. */
  readonly count: number;
  /** Characters of its longest line. */
  readonly longest: number;

  constructor(text: string) {
    this.text = text;
    let starts = new Uint32Array(FIRST_LINES);
    let lines = 0;
    let longest = 0;
    for (let at = 0; at < text.length;) {
      if (lines === starts.length) {
        const more = new Uint32Array(starts.length * 2);
        more.set(starts);
        starts = more;
      }
      starts[lines++] = at;
      const end = text.indexOf('\n', at);
      const next = end === -1 ? text.length : end + 1;
      longest = Math.max(longest, next - at);
      at = next;
    }
    this.starts = starts;
    this.count = lines;
    this.longest = longest;
  }

  /** A line by its number, from 1, without its end. */
  line(number: number): string {
    const from = this.starts[number - 1] ?? this.text.length;
    const to = number < this.count ? (this.starts[number] ?? 0) : this.text.length;
    return this.text.slice(from, to).replace(/\r?\n$/, '');
  }

  /**
   * The numbers of the lines that hold a text, whatever its case; the first of them.
   *
   * @param maxMatches how many at most
   */
  find(wanted: string, maxMatches = MAX_MATCHES): number[] {
    const found: number[] = [];
    if (wanted === '') return found;
    const pattern = new RegExp(escaped(wanted), 'giu');
    let line = 1;
    for (;;) {
      const match = pattern.exec(this.text);
      if (!match) return found;
      line = this.lineAt(match.index, line);
      found.push(line);
      if (found.length === maxMatches) return found;
      pattern.lastIndex = this.starts[line] ?? this.text.length;
      if (line === this.count) return found;
    }
  }

  /** The number of the line at a place in the text, by halving what is left. */
  private lineAt(place: number, from: number): number {
    let low = from;
    let high = this.count;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.starts[middle - 1] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** A line in parts: what matches a search, and what is between. */
export function partsOf(line: string, wanted: string): { text: string; isMatch: boolean }[] {
  if (wanted === '') return [{ text: line, isMatch: false }];
  const parts = line.split(new RegExp(`(${escaped(wanted)})`, 'iu'));
  return parts
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
