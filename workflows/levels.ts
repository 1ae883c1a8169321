import { blockedPackages } from '../domain/builds/build-sequence.ts';
import type { Failure } from '../domain/builds/failure.ts';
import type { BuildAttempt } from './build-attempt.ts';
import type { Outcome } from './outcome.ts';

// The levels of a request with an order. One without has no places: what follows does nothing for it, and no history of
// it has anything of this, so that nothing here is behind `patched`.

/**
 * Goes on to the level of the packages that are uploaded next.
 *
 * @returns the level; undefined where the request has no order
 */
export function enterNextLevel(attempt: BuildAttempt): number | undefined {
  const { watched } = attempt;
  while (attempt.isLeftOut(watched.sent)) watched.sent += 1;
  const level = watched.packages[watched.sent]?.place?.level;
  if (level === undefined) return undefined;
  watched.level = level;
  watched.accepted = false;
  delete watched.unclear;
  return level;
}

/**
 * Leaves out what needs a package that was not built. The rest of the request goes on.
 *
 * @param failure the one that counts of what was sent, once every build of it has ended
 */
export function leaveOutBlocked({ watched, input }: BuildAttempt, failure: Failure): void {
  if (!input.request.order) return;
  const blocked = blockedPackages(watched);
  if (blocked.length === 0) return;
  (watched.notBuilt ??= []).push(...blocked);
  watched.prerequisiteFailure ??= failure;
}

/** How a request ended, all levels together: what was left out is not built, even where its prerequisite is by now. */
export function ofAllLevels({ watched }: BuildAttempt, outcome: Outcome): Outcome {
  const { prerequisiteFailure: failure } = watched;
  return outcome.state === 'completed' && failure ? { state: 'failed', failure } : outcome;
}
