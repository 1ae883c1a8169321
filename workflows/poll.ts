import { upsertSearchAttributes } from '@temporalio/workflow';
import { attributeKey } from '../domain/builds/build-labels.ts';
import { waitsForDependencies } from '../domain/builds/build-state.ts';
import { CANCEL_URL_CALLER } from '../domain/builds/build-workflow.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { BuildEnded, orEnd } from './build-ended.ts';
import { tooLong } from './failure-texts.ts';

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
  watched.records = seen.records;
  attempt.isPublished = seen.published;
  if (seen.accepted && !watched.accepted && !attempt.tellsPhases)
    upsertSearchAttributes([{ key: attributeKey('AirlineBuildState'), value: 'building' }]);
  watched.accepted ||= seen.accepted;
  if (watched.accepted) delete watched.unverified;
  watched.dependencyWaitSinceMs = watched.records.some(waitsForDependencies)
    ? (watched.dependencyWaitSinceMs ?? Date.now())
    : null;
  if (watched.accepted) attempt.enter(attempt.phaseInPpa());
  else await attempt.begin('accepting');
  if (seen.cancelRequested) attempt.cancel(CANCEL_URL_CALLER);
}
