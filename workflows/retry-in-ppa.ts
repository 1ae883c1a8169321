import { ActivityCancellationType, patched } from '@temporalio/workflow';
import { ppaReference } from '../domain/packages/ppa.ts';
import type { PackageVersion } from '../domain/packages/source-file.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { orEndInTime } from './build-ended.ts';

/**
 * Has the PPA build again what failed in an earlier attempt, or of that the architectures that were asked for. One that
 * was not is failed as before, and so is the attempt in the end.
 *
 * @returns false where nothing is to be retried there, so that the attempt goes the whole way
 * @throws BuildEnded where the PPA could not be asked in time; CallerGone
 */
export async function retryInPpa(attempt: BuildAttempt): Promise<boolean> {
  const { watched } = attempt;
  const { retry: packages } = attempt.input;
  if (!packages) return false;
  const takeForSent = () => {
    watched.packages = packages.map((each) => ({ ...each, files: [] }));
    watched.sent = packages.length;
    watched.uploadedAtMs = Date.now();
  };
  // Some may be building before all of them were asked for: a cancellation has to find them.
  // Runs from before the mark of stopsRetry may have this one.
  const isStoppable = attempt.stopsRetry || patched('stop-cancelled-retry');
  if (isStoppable) takeForSent();
  const retried = await retryBuilds(
    attempt,
    packages,
    isStoppable ? {} : { cancellationType: ActivityCancellationType.TRY_CANCEL },
  );
  if (retried === 0) {
    watched.packages = [];
    watched.sent = 0;
    return false;
  }
  takeForSent();
  return true;
}

/**
 * Has the PPA build again what has failed of packages that it has.
 *
 * @param options.ofEarlierRequests they came there by none of this build's attempts: built again is what says nothing
 * of the source and no other request waits for
 * @returns how many builds it has to do now
 * @throws BuildEnded where it could not be asked in time; CallerGone
 */
export async function retryBuilds(
  attempt: BuildAttempt,
  packages: PackageVersion[],
  {
    cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ofEarlierRequests = false,
  }: { cancellationType?: ActivityCancellationType; ofEarlierRequests?: boolean } = {},
): Promise<number> {
  const { ppa, request } = attempt.input;
  const { retried } = await orEndInTime(
    attempt,
    'timed_out',
    attempt.activities.retryBuilds(
      `retry what failed in ${ppaReference(ppa)}`,
      attempt.remainingMs(),
      {
        ...attempt.name,
        ppa,
        series: request.series,
        packages,
        cancelUrl: request.cancelUrl,
        ...(request.retryArchitectures ? { architectures: request.retryArchitectures } : {}),
        ...(ofEarlierRequests ? { ofEarlierRequests } : {}),
      },
      cancellationType,
    ),
  );
  return retried;
}
