import { judgeBuildRecords, type Verdict } from '../domain/builds/build-state.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { leaveOutBlocked } from './levels.ts';

/** Whether the Dependency wait of an attempt had lasted for as long as it may by some time, which is now by default. */
export function dependencyWaitIsOver(
  { input, watched }: BuildAttempt,
  atMs: number = Date.now(),
): boolean {
  const { dependencyWaitSinceMs } = watched;
  return (
    dependencyWaitSinceMs !== null && atMs - dependencyWaitSinceMs >= input.limits.dependencyWaitMs
  );
}

/**
 * The verdict on what an attempt has in the PPA, once that has accepted it. Of a request with an order, what a failure
 * blocks is left out.
 *
 * @param waitIsOver a Dependency wait counts as failed
 * @returns `isFinal`: nothing is left to wait for, the publication of what others need included
 */
export function judgeAttempt(
  attempt: BuildAttempt,
  waitIsOver: boolean,
): { verdict: Exclude<Verdict, { state: 'active' }>; isFinal: boolean } | undefined {
  const { watched, input } = attempt;
  const verdict = judgeBuildRecords(watched.records, waitIsOver);
  if (!watched.accepted || verdict.state === 'active') return undefined;
  if (verdict.state === 'failed') leaveOutBlocked(attempt, verdict.failure);
  const needsPublication =
    attempt.hasLater() || (verdict.state === 'completed' && input.limits.awaitPublication);
  return { verdict, isFinal: !needsPublication || attempt.isPublished };
}
