import type { BuildLimits } from '../domain/build-request.ts';

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
