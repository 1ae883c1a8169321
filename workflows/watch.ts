import { sleep } from '@temporalio/workflow';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded } from './build-ended.ts';
import { goOnInNewRun, historyIsLong } from './continue-as-new.ts';
import { followPpaWatch } from './follow-ppa-watch.ts';
import { notAccepted, tooLong } from './failure-texts.ts';
import type { Outcome } from './outcome.ts';
import { poll } from './poll.ts';
import { pollDelayMs } from './poll-schedule.ts';
import { dependencyWaitIsOver, judgeAttempt } from './verdict.ts';

/**
 * Waits until the builds of an attempt come to a verdict in the PPA: told by the watch of the PPA, or, in a build from
 * before there was one, by its own polls.
 *
 * @throws BuildEnded where the PPA does not show the upload in time, or the whole build is out of time
 */
export async function watch(attempt: BuildAttempt): Promise<Outcome> {
  return attempt.input.limits.ppaWatch ? followPpaWatch(attempt) : pollAlone(attempt);
}

/**
 * Polls the PPA until its builds come to a verdict: `accepting` until the PPA shows every package, then `building`.
 * Where other packages wait for what was built, that has to be published, too. It continues as new between two polls
 * where the history has grown long.
 */
async function pollAlone(attempt: BuildAttempt): Promise<Outcome> {
  const { watched, deadlineMs } = attempt;
  const { limits } = attempt.input;
  for (;;) {
    const nextDeadlineMs = watched.accepted
      ? deadlineMs
      : Math.min(watched.uploadedAtMs + limits.acceptanceMs, deadlineMs);
    const untilDeadlineMs = nextDeadlineMs - Date.now();
    if (untilDeadlineMs <= 0)
      throw new BuildEnded(
        nextDeadlineMs < deadlineMs
          ? notAccepted(attempt.input, watched, attempt.lastSentPackages(), attempt.withoutBuilds)
          : tooLong(limits, watched.records),
      );
    const delayMs = pollDelayMs(limits, watched.polls, untilDeadlineMs);
    await sleep(delayMs, { summary: `poll ${watched.polls + 1} in ${delayMs / 1000} s` });
    await poll(attempt, attempt.remainingMs());
    const judged = judgeAttempt(attempt, dependencyWaitIsOver(attempt));
    if (judged?.isFinal) return judged.verdict;
    if (historyIsLong(limits.historyMaxEvents)) await goOnInNewRun(attempt);
  }
}
