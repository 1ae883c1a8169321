import { INVALID_PPA, readPpa, type Ppa } from '../../domain/packages/ppa.ts';
import { usageError } from '../command-error.ts';

/** A shell puts a home folder in the place of `~owner`, so that the command is given a path. */
const QUOTES = 'In a shell, what begins with ~ needs quotes.';

/**
 * Reads a PPA that was given.
 *
 * @param archive its distribution where the text names none (default: Ubuntu)
 * @throws CommandError `usage` where it is none
 */
export function givenPpa(text: string, archive?: string): Ppa {
  const ppa = readPpa(text, archive);
  if (!ppa) throw usageError(`${JSON.stringify(text)} is not a PPA.`, `${INVALID_PPA} ${QUOTES}`);
  return ppa;
}
