import { UNNAMED_CALLER } from '../domain/access/requester.ts';
import { printable } from '../domain/text/printable.ts';

const MAX_CALLER_LENGTH = 300;

/** The name of a caller, on one line: Temporal's own tools send a signal with any JSON of any length. */
export function callerOf(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '') return UNNAMED_CALLER;
  return printable(given.slice(0, MAX_CALLER_LENGTH)).replaceAll(/\s+/g, ' ');
}
