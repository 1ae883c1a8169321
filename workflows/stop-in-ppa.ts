import { ActivityFailure, sleep } from '@temporalio/workflow';
import { isAtRest } from '../domain/build-state.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded } from './build-ended.ts';
import { leftInPpa } from './failure-texts.ts';
import { poll } from './poll.ts';
import { pollDelayMs } from './poll-schedule.ts';

/**
 * Cancels what the PPA can cancel and polls until nothing of this request is building there, for `cancellationMs` at
 * most. A PPA that cannot be asked ends it, too.
 *
 * @returns what is left there, as a part of a sentence
 */
export async function stopInPpa(attempt: BuildAttempt): Promise<string> {
  const { activities, watched } = attempt;
  const { limits, request } = attempt.input;
  const untilMs = Date.now() + limits.cancellationMs;
  let refusal = '';
  for (let round = 0; watched.sent > 0 && Date.now() < untilMs; round++) {
    const withinMs = Math.max(untilMs - Date.now(), 1);
    try {
      if (watched.records.length > 0) {
        const { records } = watched;
        const { buildId } = request;
        const answer = await activities.cancelBuilds('cancel in the PPA', withinMs, {
          buildId,
          records,
        });
        refusal = answer.refused?.[0] ?? '';
      }
      await poll(attempt, withinMs);
    } catch (error) {
      if (error instanceof ActivityFailure || error instanceof BuildEnded) break;
      throw error;
    }
    if (watched.accepted && watched.records.every(isAtRest)) break;
    const delayMs = pollDelayMs(limits, round, untilMs - Date.now());
    await sleep(delayMs, { summary: 'wait for the PPA to cancel' });
  }
  return leftInPpa(watched, refusal);
}
