import type { CommandError } from '../command-error.ts';
import { isUnanswered } from '../server/connection-loss.ts';

/**
 * The lines that say what was not added to a ticket.
 *
 * @param error what ended the adding
 * @param missing what was not added, in order; whether the first of it was may not be known
 */
export function notAdded(error: CommandError, missing: readonly string[]): string[] {
  return missing.map(
    (name, at) => `${at === 0 && isUnanswered(error) ? 'perhaps ' : ''}not added: ${name}`,
  );
}
