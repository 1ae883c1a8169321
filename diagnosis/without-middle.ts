const START = 700;
const END = 300;

/**
 * Of a line of more than 1,000 characters its beginning and its end. Rules go by these, since the time of some grows
 * with the square of the length, and an excerpt shows them of the line that counts.
 */
export function withoutMiddle(line: string): string {
  return line.length <= START + END ? line : `${line.slice(0, START)}…${line.slice(-END)}`;
}
