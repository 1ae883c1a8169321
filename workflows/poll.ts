import { patched, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { attributeKey } from '../domain/builds/build-labels.ts';
import { waitsForDependencies, type BuildRecord } from '../domain/builds/build-state.ts';
import { CANCEL_URL_CALLER } from '../domain/builds/build-workflow.ts';
import { dependencyWaitSince } from '../domain/builds/dependency-wait.ts';
import { architectureBuilds } from '../domain/builds/progress.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded, orEnd } from './build-ended.ts';
import { tooLong } from './failure-texts.ts';
import { dependencyWaitIsOver } from './verdict.ts';

/**
 * Polls the PPA and the cancel URL once; a change is reported on the way.
 *
 * @param withinMs time for the poll, all tries together
 * @throws BuildEnded where it does not succeed in time
 */
export async function poll(attempt: BuildAttempt, withinMs: number): Promise<void> {
  const { activities, watched } = attempt;
  const { request, ppa, limits } = attempt.input;
  watched.polls += 1;
  const hasLater = attempt.hasLater();
  const polling = orEnd(
    'timed_out',
    activities.watchBuilds(`poll ${watched.polls}`, withinMs, {
      ...attempt.name,
      ppa,
      series: request.series,
      packages: attempt.sentVersions(),
      ...(watched.accepted
        ? {}
        : { unverified: { series: request.series, packages: attempt.unverifiedPackages() } }),
      previous: watched.records,
      reportKey: `poll-${watched.polls}`,
      cancelUrl: watched.cancellation ? null : request.cancelUrl,
      awaitPublication: attempt.awaitsPublication(),
      ...(hasLater ? { hasLater } : {}),
    }),
  );
  const seen = await polling.catch((error: unknown) => {
    // What is being stopped has a time of its own.
    if (error instanceof BuildEnded && error.failure.class === 'timed_out' && !watched.stopping)
      throw new BuildEnded(tooLong(limits, watched.records, error.failure.message));
    throw error;
  });
  const answersSinceMs = answersSince(seen);
  watched.dependencyWaitSinceMs = waitingSinceMs(attempt, seen.records, answersSinceMs);
  watched.records = seen.records;
  attempt.isPublished = seen.published;
  attempt.withoutBuilds = seen.withoutBuilds ?? [];
  if (seen.accepted && !watched.accepted && !attempt.tellsPhases)
    upsertSearchAttributes([{ key: attributeKey('AirlineBuildState'), value: 'building' }]);
  watched.accepted ||= seen.accepted;
  // What takes uploads there was away, too, and has those of all that time to work off.
  if (!watched.accepted) watched.uploadedAtMs = Math.max(watched.uploadedAtMs, answersSinceMs);
  if (watched.accepted) delete watched.unverified;
  if (watched.accepted) attempt.enter(attempt.phaseInPpa());
  else await attempt.begin('accepting');
  if (seen.cancelRequested) attempt.cancel(CANCEL_URL_CALLER);
}

/** When the latest outage of the PPA ended, by the workflow's own clock; 0 where there was none. */
function answersSince({
  afterOutage,
  answersForMs,
}: Pick<Awaited<ReturnType<Activities['watchBuilds']>>, 'afterOutage' | 'answersForMs'>): number {
  if (afterOutage && patched('outages-cost-no-time')) return Date.now();
  // Older code took no outage into account but what the poll had seen by itself.
  if (answersForMs !== undefined && patched('polls-heed-outages')) return Date.now() - answersForMs;
  return 0;
}

/** Since when the grace of a Dependency wait counts, now that the PPA shows these. */
function waitingSinceMs(
  attempt: BuildAttempt,
  records: readonly BuildRecord[],
  answersSinceMs: number,
): number | null {
  const { records: before, dependencyWaitSinceMs, uploadedAtMs } = attempt.watched;
  const isOver = dependencyWaitIsOver(attempt, uploadedAtMs);
  // What builds once a dependency has come was away, too.
  const mayBeginAnew = !isOver && dependencyWaitSinceMs !== null;
  const since = mayBeginAnew
    ? Math.max(dependencyWaitSinceMs, answersSinceMs)
    : dependencyWaitSinceMs;
  const sinceMs = dependencyWaitSince(
    { builds: architectureBuilds(before), since, isOver },
    architectureBuilds(records),
    Date.now(),
  );
  // Older code counted from the first that the PPA showed, whatever else it built.
  const earlierMs = records.some(waitsForDependencies)
    ? (dependencyWaitSinceMs ?? Date.now())
    : null;
  return sinceMs !== earlierMs && patched('grace-begins-at-rest') ? sinceMs : earlierMs;
}
