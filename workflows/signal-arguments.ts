import { UNNAMED_CALLER } from '../domain/access/requester.ts';
import type { PpaNews, WatchLimits } from '../domain/builds/ppa-watch.ts';
import { DECISIONS, type Decision } from '../domain/landings/landing.ts';
import { printable } from '../domain/text/printable.ts';

/*
 * What the signals of the workflows carry, as far as it can be used. Temporal's own tools send a signal with any JSON,
 * or with none; where a handler throws, the workflow does nothing ever again.
 */

const MAX_CALLER_LENGTH = 300;

/** The name of who cancels, on one line. */
export function callerOf(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '') return UNNAMED_CALLER;
  return printable(given.slice(0, MAX_CALLER_LENGTH)).replaceAll(/\s+/g, ' ');
}

/** The decision on a landing; undefined where it is none, so that nothing is approved by mistake. */
export function decisionOf(given: unknown): Decision | undefined {
  const { decision, by, comment } = fieldsOf(given);
  const isOne = DECISIONS.some((one) => one === decision);
  const isSigned = typeof by === 'string' && typeof comment === 'string';
  return isOne && isSigned ? (given as Decision) : undefined;
}

/** News of the builds in a PPA. Of what tells nothing the build asks the PPA. */
export function newsOf(given: unknown): PpaNews {
  const { records, phase } = fieldsOf(given);
  const isTold = typeof phase === 'string' && Array.isArray(records) && records.every(isRecord);
  return isTold ? (given as PpaNews) : { ask: true };
}

/** The limits of a watch; undefined where a number lacks. */
export function limitsOf(given: unknown): WatchLimits | undefined {
  const { pollInitialMs, pollFactor, pollMaxMs, historyMaxEvents } = fieldsOf(given);
  const numbers = [pollInitialMs, pollFactor, pollMaxMs, historyMaxEvents];
  return numbers.every((one) => typeof one === 'number') ? (given as WatchLimits) : undefined;
}

function isRecord(given: unknown): boolean {
  const { package: name, buildState, selfLink } = fieldsOf(given);
  return [name, buildState, selfLink].every((one) => typeof one === 'string');
}

function fieldsOf(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? { ...given } : {};
}
