/** Why the tail of a log that is being written cannot be shown. */
export const TAIL_PROBLEMS = {
  not_public:
    "The PPA shows this build's page and log only to people who are signed in there. Airline has no log of it.",
  not_shown:
    'The PPA shows no log of this build now: it has just begun, or its log is being collected.',
  unreachable: 'The page of the build in the PPA could not be read; it is tried again.',
} as const;

export type TailProblem = keyof typeof TAIL_PROBLEMS;

/** What is kept of a tail, in characters. Launchpad's pages show the last 2,048 bytes of a log. */
export const MAX_TAIL = 65_536;
/** More of a page's text than any Launchpad shows. */
const MAX_SHOWN_TAIL = 16_384;
/** Fewer characters in common are chance. */
const MIN_OVERLAP = 40;

/** The line that stands where lines are missing between two readings. */
export const MISSING_LINES =
  '[airline: some lines are missing here; the log has them when the build ends]';

/** A text that grows at its end: the last of it, and how many characters there were in all. */
export type GrowingText = { text: string; end: number };

/**
 * Adds what a page shows now to what it showed before.
 *
 * @param before what was kept
 * @param shown the end of a log that has grown since
 */
export function addToTail(before: GrowingText, shown: string): GrowingText {
  const added = newIn(before.text, shown.slice(-MAX_SHOWN_TAIL));
  return { text: (before.text + added).slice(-MAX_TAIL), end: before.end + added.length };
}

function newIn(before: string, shown: string): string {
  if (before === '') return shown;
  const longest = Math.min(before.length, shown.length);
  for (let overlap = longest; overlap > 0; overlap--) {
    if (overlap < MIN_OVERLAP && overlap < longest) break;
    if (before.endsWith(shown.slice(0, overlap))) return shown.slice(overlap);
  }
  return `\n${MISSING_LINES}\n${shown}`;
}
