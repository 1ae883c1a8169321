import type { Build } from '../server/api-types.ts';

/** When a build, an attempt of one or a landing ended, and when somebody asked to cancel it; null: not. */
type Ending = { finished_at: string | null; cancel_requested_at: string | null };

/** Whether it is under way, and nobody has cancelled it. */
export function isOnItsWay({ finished_at: finishedAt, cancel_requested_at: at }: Ending): boolean {
  return finishedAt === null && at === null;
}

/** Whether somebody has cancelled it, and it has not ended yet. */
export function isCancelling({
  finished_at: finishedAt,
  cancel_requested_at: at,
}: Ending): boolean {
  return finishedAt === null && at !== null;
}

/** Whether a build has ended and failed, and so may be retried; one that was cancelled, too. */
export function canRetry({
  finished_at: finishedAt,
  state,
}: Pick<Build, 'finished_at' | 'state'>): boolean {
  return finishedAt !== null && state === 'failed';
}
