import { condition, sleep } from '@temporalio/workflow';
import type { PpaNews } from '../domain/builds/ppa-watch.ts';
import { onePollMs } from './activity-stubs.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded, orEnd } from './build-ended.ts';
import { goOnInNewRun, historyIsLong } from './continue-as-new.ts';
import { notAccepted, tooLong } from './failure-texts.ts';
import type { Outcome } from './outcome.ts';
import { poll } from './poll.ts';
import { dependencyWaitIsOver, judgeAttempt } from './verdict.ts';

/**
 * Waits until the builds of an attempt come to a verdict in the PPA, as the watch of the PPA tells: `accepting` until
 * it shows every package, then `building`. Where other packages wait for what was built, that has to be published, too.
 * It sleeps between what it is told, and polls by itself where the watch asks for it and before it gives up. It
 * continues as new where the history has grown long.
 *
 * @throws BuildEnded where the PPA does not show the upload in time, or the whole build is out of time
 */
export async function followPpaWatch(attempt: BuildAttempt): Promise<Outcome> {
  const { watched, input } = attempt;
  let isOutOfTime = false;
  // One timer for all that it is told: a condition with a time limit would begin a new one each time.
  const deadline = sleep(attempt.remainingMs(), { summary: 'time for the whole build' });
  // Where it is cancelled, so is what awaits the condition.
  deadline.then(
    () => (isOutOfTime = true),
    () => undefined,
  );
  let isWatched = false;
  let knowsFailure = false;
  for (;;) {
    if (!isWatched) await join(attempt, knowsFailure);
    await condition(() => attempt.hasNews() || isOutOfTime);
    const news = attempt.takeNews();
    let waitIsOver: boolean;
    if (news && !news.ask) {
      watched.records = news.records;
      watched.accepted = true;
      delete watched.unverified;
      watched.dependencyWaitSinceMs = waitingSinceMs(news);
      attempt.isPublished = news.published;
      waitIsOver = news.dependencyWaitIsOver;
      attempt.enter(news.phase);
      isWatched = !news.isDecided;
    } else {
      isWatched = false;
      // The last one, too, has the time of a whole try, though that of the build may be over before.
      await poll(
        attempt,
        Math.max(attempt.remainingMs(), onePollMs(attempt.sentVersions().length)),
      );
      waitIsOver = dependencyWaitIsOver(attempt);
    }
    const judged = judgeAttempt(attempt, waitIsOver);
    if (judged?.isFinal) return judged.verdict;
    if (judged) knowsFailure = judged.verdict.state === 'failed';
    if (!watched.accepted && Date.now() - watched.uploadedAtMs >= input.limits.acceptanceMs)
      throw new BuildEnded(
        notAccepted(input, watched, attempt.lastSentPackages(), attempt.withoutBuilds),
      );
    if (isOutOfTime) throw new BuildEnded(tooLong(input.limits, watched.records));
    if (historyIsLong(input.limits.historyMaxEvents)) await goOnInNewRun(attempt);
  }
}

/** Since when something waits for its dependencies, by the workflow's own clock. */
function waitingSinceMs({
  dependencyWaitedMs: waitedMs,
  dependencyWaitSinceMs: sinceMs,
}: Exclude<PpaNews, { ask: true }>): number | null {
  return waitedMs === undefined ? sinceMs : Date.now() - waitedMs;
}

/**
 * Joins the builds that are watched in the PPA, and reports that it waits for the PPA to show the upload.
 *
 * @throws as orEnd
 */
async function join(attempt: BuildAttempt, knowsFailure: boolean): Promise<void> {
  const { activities, watched, input } = attempt;
  const { request, ppa, limits } = input;
  const { accepted, records, dependencyWaitSinceMs } = watched;
  const report = accepted ? undefined : attempt.beginUnreported('accepting');
  const joining = activities.joinWatch({
    ...(report ? { report } : {}),
    ...attempt.name,
    request: {
      ppa,
      series: request.series,
      ...(request.attemptKey ? { attemptKey: request.attemptKey } : {}),
      packages: attempt.sentVersions(),
      ...(accepted ? {} : { unverified: attempt.unverifiedPackages() }),
      awaitPublication: attempt.awaitsPublication(),
      hasLater: attempt.hasLater(),
      knowsFailure,
      acceptanceMs: limits.acceptanceMs,
      dependencyWaitMs: limits.dependencyWaitMs,
      polls: watched.polls,
    },
    cancelUrl: watched.cancellation ? null : request.cancelUrl,
    atMs: Date.now(),
    uploadedAtMs: watched.uploadedAtMs,
    known: { accepted, records, dependencyWaitSinceMs },
    limits: {
      pollInitialMs: limits.pollInitialMs,
      pollFactor: limits.pollFactor,
      pollMaxMs: limits.pollMaxMs,
      historyMaxEvents: limits.historyMaxEvents,
    },
  });
  await orEnd('internal', joining);
}
