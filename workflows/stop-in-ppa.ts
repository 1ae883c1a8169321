import { ActivityFailure, patched, sleep } from '@temporalio/workflow';
import { isAtRest, type BuildRecord, type KeptBuild } from '../domain/builds/build-state.ts';
import type { Failure } from '../domain/builds/failure.ts';
import { failureOfActivity } from './activity-failure.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded } from './build-ended.ts';
import { goOnInNewRun, historyIsLong } from './continue-as-new.ts';
import { leftInPpa } from './failure-texts.ts';
import { poll } from './poll.ts';
import { pollDelayMs } from './poll-schedule.ts';

/**
 * Cancels what the PPA can cancel and polls until nothing of this request is building there, for `cancellationMs` at
 * most. What another request waits for is left alone. A PPA that cannot be asked ends it, too. It continues as new
 * between two polls where the history has grown long.
 *
 * @param failure what the build ends with where nobody has cancelled it
 * @returns what is left there, as a part of a sentence
 */
export async function stopInPpa(attempt: BuildAttempt, failure?: Failure): Promise<string> {
  const { activities, watched } = attempt;
  const { limits } = attempt.input;
  // An earlier run goes on in a new one once it was answered.
  let isAsked = watched.stopping !== undefined;
  const stopping = (watched.stopping ??= {
    untilMs: Date.now() + limits.cancellationMs,
    rounds: 0,
    ...(failure ? { failure } : {}),
  });
  const { untilMs } = stopping;
  const leftMs = () => Math.max(untilMs - Date.now(), 1);
  let why = '';
  let kept: readonly KeptBuild[] = [];
  for (; watched.sent > 0 && Date.now() < untilMs; stopping.rounds++) {
    try {
      if (watched.records.length > 0) {
        const { records } = watched;
        const answer = await activities.cancelBuilds('cancel in the PPA', leftMs(), {
          ...attempt.name,
          records,
        });
        isAsked = true;
        why = answer.refused?.[0] ?? '';
        kept = answer.kept ?? [];
      }
      await poll(attempt, leftMs());
    } catch (error) {
      const failure = failureOfQuestion(error);
      if (!failure) throw error;
      why ||= failure.message;
      break;
    }
    const isKept = ({ selfLink }: BuildRecord) => kept.some((one) => one.selfLink === selfLink);
    if (watched.accepted && watched.records.every((one) => isAtRest(one) || isKept(one))) break;
    const delayMs = pollDelayMs(limits, stopping.rounds, untilMs - Date.now());
    await sleep(delayMs, { summary: 'wait for the PPA to cancel' });
    if (historyIsLong(limits.historyMaxEvents) && patched('stop-continues-as-new'))
      await goOnInNewRun(attempt);
  }
  return leftInPpa(watched, { isAsked, why }, kept);
}

/** What a question to the PPA has failed with for good; undefined where something else is wrong. */
function failureOfQuestion(error: unknown): Failure | undefined {
  if (error instanceof BuildEnded) return error.failure;
  return error instanceof ActivityFailure ? failureOfActivity(error, 'timed_out') : undefined;
}
