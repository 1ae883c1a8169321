import { sequenceOf } from '../domain/builds/build-sequence.ts';
import type { BuildLimits } from '../domain/builds/build-request.ts';
import {
  BUILT_LATER,
  isAtRest,
  judgeBuildRecords,
  waitsForDependencies,
  type BuildRecord,
  type KeptBuild,
} from '../domain/builds/build-state.ts';
import {
  CANCEL_URL_CALLER,
  type BuildSourceInput,
  type Cancellation,
  type WatchState,
} from '../domain/builds/build-workflow.ts';
import { failureOf, type Failure } from '../domain/builds/failure.ts';
import { ppaReference, type Ppa } from '../domain/packages/ppa.ts';
import { shownPackage, type PackageVersion } from '../domain/packages/source-file.ts';
import { listed } from '../domain/text/listed.ts';
import { durationText } from '../domain/text/quantity-text.ts';
import type { Outcome } from './outcome.ts';

// The failures that the workflow itself finds, as callers read them.

/** What a cancellation left in the PPA that came before any upload. */
export const NOTHING_UPLOADED = 'nothing had been uploaded';
/** What it left where the PPA has not shown the upload. */
export const NOT_SHOWN_YET = 'the PPA had not shown the upload yet and may still build it';

const MAX_NOT_BUILT = 10;

const UPLOAD_IN_DOUBT_HINT =
  'It may not have arrived whole. What may have arrived is never sent again unasked: retry the build, which sends what the PPA does not hold.';

const WITHOUT_BUILDS_HINT =
  'What was copied there with its packages is not built again: use these, or request a build of a higher version.';

const CANCEL_URL_HINT =
  'The cancel URL says that nobody waits for the build, and a retry asks it again: have it say otherwise before that, or request a new build with another one.';

/** The build's row was ended while Temporal could not start its workflow. */
export function endedBeforeStart(): Failure {
  return failureOf('internal', 'its row had ended before it could start');
}

/** The attempt had ended before its workflow was made to run once more. */
export function endedBefore(): Failure {
  return failureOf('internal', 'its attempt had ended before');
}

/**
 * The PPA has not shown the upload, or no builds of it, within the time for that.
 *
 * @param packages those that were sent last
 * @param withoutBuilds those that the PPA has without any build, where it has all
 */
export function notAccepted(
  { ppa, limits, request }: BuildSourceInput,
  { unclear }: WatchState,
  packages: readonly PackageVersion[],
  withoutBuilds: readonly string[],
): Failure {
  const limit = `${durationText(limits.acceptanceMs)} (AIRLINE_ACCEPTANCE_MS)`;
  if (withoutBuilds.length > 0)
    return failureOf(
      'upload_rejected',
      `${ppaReference(ppa)} has ${listed(withoutBuilds, MAX_NOT_BUILT)} in ${request.series} without any build, and none came within ${limit}`,
      { hint: WITHOUT_BUILDS_HINT },
    );
  const names = (unclear ?? packages.map(shownPackage)).join(', ');
  const what = `${ppaReference(ppa)} has not shown ${names} within ${limit} of its upload`;
  return unclear
    ? failureOf('upload_failed', `${what}, which broke off in its last file`, {
        hint: UPLOAD_IN_DOUBT_HINT,
      })
    : failureOf('upload_rejected', what);
}

/**
 * The time for the whole build is over.
 *
 * @param because what the last poll failed with, where it failed
 */
export function tooLong(
  { wholeBuildMs }: BuildLimits,
  records: readonly BuildRecord[],
  because?: string,
): Failure {
  const limit = `${durationText(wholeBuildMs)} (AIRLINE_WHOLE_BUILD_MS)`;
  const isBuilt = judgeBuildRecords(records, false).state === 'completed';
  const what = isBuilt
    ? `all was built, and its binaries were not published within ${limit}`
    : `the build did not end within ${limit}`;
  return failureOf('timed_out', because ? `${what}: ${because}` : what);
}

/** A failure of a request with an order, with its packages that were never uploaded, and why. */
export function withNotBuilt(failure: Failure, watched: WatchState): Failure {
  const missing = (watched.sent > 0 ? (sequenceOf(watched, true) ?? []) : []).filter(
    ({ state }) => state === 'not_built',
  );
  if (missing.length === 0) return failure;
  const names = missing.map((each) => `${each.package} ${each.version} (${each.reason})`);
  return { ...failure, message: `${failure.message}; not built: ${listed(names, MAX_NOT_BUILT)}` };
}

/** A failure of one package, with those of the request that the PPA may build all the same. */
export function withSentPackages(
  failure: Failure,
  ppa: Ppa,
  packages: readonly PackageVersion[],
): Failure {
  if (packages.length === 0) return failure;
  const names = packages.map(shownPackage).join(', ');
  return {
    ...failure,
    message: `${failure.message}; ${names} had been sent to ${ppaReference(ppa)}, which may build what it takes`,
  };
}

/**
 * What is left of a build in the PPA after it was to stop there.
 *
 * @param asking.isAsked the PPA was asked to cancel what it builds
 * @param asking.why what it said where it refused, or why it did not answer; else empty
 * @param kept builds that another request waits for
 */
export function leftInPpa(
  { sent, accepted, records }: WatchState,
  { isAsked, why }: { isAsked: boolean; why: string },
  kept: readonly KeptBuild[],
): string {
  if (sent === 0) return NOTHING_UPLOADED;
  if (!accepted) return NOT_SHOWN_YET;
  const keptFor = new Map(kept.map((one) => [one.selfLink, one.keptFor]));
  const active = records.filter((record) => !isAtRest(record));
  const left = active.filter(({ selfLink }) => keptFor.has(selfLink));
  const running = active.filter(({ selfLink }) => !keptFor.has(selfLink));
  const waiting = records.filter(waitsForDependencies);
  const goesOn = isAsked
    ? `the PPA did not end ${namesOf(running)} in time`
    : `the PPA could not be asked in time to end ${namesOf(running)}, which may go on there`;
  const parts = [
    ...(running.length > 0 ? [`${goesOn}${why && `: ${why}`}`] : []),
    ...left.map(
      (record) =>
        `the PPA goes on with ${namesOf([record])} for build ${keptFor.get(record.selfLink)}`,
    ),
    ...(waiting.length > 0
      ? [`${namesOf(waiting)} waits for its dependencies; ${BUILT_LATER}`]
      : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'the PPA builds nothing of it any more';
}

function namesOf(records: readonly BuildRecord[]): string {
  return records.map((record) => `${record.package} on ${record.architecture}`).join(', ');
}

/** The build was cancelled, whatever it had come to by then. */
export function cancelled({ requestedBy }: Cancellation, outcome: Outcome): Failure {
  const hint = requestedBy === CANCEL_URL_CALLER ? { hint: CANCEL_URL_HINT } : {};
  return failureOf('cancelled', `cancelled by ${requestedBy}; ${foundBy(outcome)}`, hint);
}

/** What a cancellation found. */
function foundBy(outcome: Outcome): string {
  switch (outcome.state) {
    case 'completed':
      return 'the PPA had built all of it';
    case 'failed':
      return `it had failed: ${outcome.failure.message}`;
    case 'cancelled':
      return outcome.left;
  }
}
