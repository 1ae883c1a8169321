// C0 but tab and line feed, DEL, C1, and what turns the direction of a line.
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/** A text from outside as it may go to a terminal: nothing in it moves the cursor, colours or hides anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\uFFFD');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s*[\r\n]+\s*/g, ' ').replaceAll('\t', ' '));
}
