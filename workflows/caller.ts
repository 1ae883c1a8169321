import { printable } from '../domain/text/printable.ts';

const MAX_CALLER_LENGTH = 300;

/** The name of a caller, on one line: Temporal's own tools send a signal with any JSON of any length. */
export function callerOf(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '') return 'an unnamed caller';
  return printable(given.slice(0, MAX_CALLER_LENGTH)).replaceAll(/\s+/g, ' ');
}
