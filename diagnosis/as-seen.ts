/** Escape sequences of a terminal (ECMA-48), also of a log whose control characters were made visible. */
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /[\u001b\u241b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u2407\u001b\u241b]*[\u0007\u2407]?|[ -/]*[0-~])/g;
const RETURNS = /[\r\u240d]/;
// oxlint-disable-next-line no-control-regex
const MOVES = /[\r\u240d\u001b\u241b]/;

/** What a person sees of a line on a terminal: not what was overwritten, and no escape sequences. */
export function asSeen(line: string): string {
  if (!MOVES.test(line)) return line;
  const last = line.split(RETURNS).findLast((part) => part.trim() !== '') ?? '';
  return last.replace(ESCAPES, '');
}
