import type { BuildLimits } from '../domain/builds/build-request.ts';

// So that the history stays short, however long the polls may go on.
const MAX_POLL_MS = 60_000;
const MAX_POLLS = 500;

/**
 * The wait before a poll of the PPA: `pollInitialMs` first, then longer by `pollFactor` each time up to
 * `pollMaxMs`. A short build is seen soon, a long one costs few events and few requests.
 *
 * @param polls polls so far
 * @param untilDeadlineMs time to the next deadline, which a wait never passes
 */
export function pollDelayMs(
  limits: Pick<BuildLimits, 'pollInitialMs' | 'pollFactor' | 'pollMaxMs'>,
  polls: number,
  untilDeadlineMs: number,
): number {
  const grown = limits.pollInitialMs * limits.pollFactor ** Math.min(polls, 64);
  return Math.max(1, Math.round(Math.min(grown, limits.pollMaxMs, untilDeadlineMs)));
}

/**
 * The longest wait between polls whose waits grow and that go on for `withinMs` at most: a minute, or as much more as
 * keeps them to some 500.
 */
export function maxPollDelayMs(withinMs: number): number {
  return Math.max(MAX_POLL_MS, withinMs / MAX_POLLS);
}
