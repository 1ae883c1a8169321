import {
  CHROOT,
  CONFIGURE_LOG,
  FAILED,
  GHC_MODULE,
  HEADING,
  IGNORED,
  OVER,
  RUSTC_PLACE,
  STEP,
  SUCCEEDED,
  TESTS,
} from './log-structure.ts';
import type { Sign } from './sign.ts';
import { SIGNS } from './signs/all.ts';
import { PERL_DIED } from './signs/make.ts';

/**
 * Whether a line can mean anything to the finder; every other line is only counted, and kept for an excerpt.
 *
 * It saves most of the time, and leaves out no line that a sign is for. Measured on one core by
 * `node --import tsx test/diagnosis/measure-finder.ts`, in MB a second:
 *
 * | log | with it | each sign asked of each line |
 * |---|---|---|
 * | the recorded logs, which are short and fail | 29 | 7 |
 * | a long compilation, which is what large logs are | 171 | 4 |
 */
export function isNotable(line: string): boolean {
  if (DULL.test(line)) return false;
  const wordEnd = line.indexOf(' ');
  const isLabelled = line[(wordEnd < 0 ? line.length : wordEnd) - 1] === ':';
  if (isLabelled ? NOTABLE_LABELLED.test(line) : NOTABLE_UNLABELLED.test(line)) return true;
  return line.endsWith('.') && line.includes(' line ') && PERL_DIED.test(line);
}

/** What most lines of most logs are; asked first, since that is quick. */
const DULL =
  /^(?:checking |PASS: |libtool: (?:compile|link): |g?make(?:\[\d+\])?: (?:Entering|Leaving) |(?!dh_|dpkg-)[^\s:]+(?::\d+)*: (?:warning|note): )/;

/** All patterns in one, which V8 tries as a tree from the first character on, not one after the other. */
const NOTABLE_LABELLED = anyOf(SIGNS);
// A log has few lines with a label, and what is asked of them takes long.
const NOTABLE_UNLABELLED = anyOf(SIGNS.filter((one) => !one.isLabelled));

function anyOf(signs: readonly Sign[]): RegExp {
  const patterns = [
    // Nothing at the start of Perl's last words tells them, which would spoil the tree.
    ...signs.map(({ pattern }) => pattern).filter((pattern) => pattern !== PERL_DIED),
    RUSTC_PLACE,
    GHC_MODULE,
    STEP,
    IGNORED,
    CONFIGURE_LOG,
    OVER,
    HEADING,
    CHROOT,
    TESTS,
    FAILED,
    SUCCEEDED,
  ];
  // Each is anchored; V8 sees it only where the whole is.
  return new RegExp(`^(?:${patterns.map(({ source }) => source).join('|')})`);
}
