import { FAILURE_CLASSES, failureOf, type Failure, type FailureClass } from './failure.ts';

/** Launchpad's `buildstate` strings (its WADL, `build-full`). */
export const LAUNCHPAD_BUILD_STATES = [
  'Needs building',
  'Currently building',
  'Gathering build output',
  'Uploading build',
  'Cancelling build',
  'Successfully built',
  'Dependency wait',
  'Failed to build',
  'Chroot problem',
  'Failed to upload',
  'Cancelled build',
  'Build for superseded Source',
] as const;

export type LaunchpadBuildState = (typeof LAUNCHPAD_BUILD_STATES)[number];

/** Launchpad's word for what has failed only because somebody cancelled it. */
export const CANCELLED_BUILD = 'Cancelled build' satisfies LaunchpadBuildState;
/** Launchpad's word for what will be cancelled in a moment, and cannot be retried until then. */
export const CANCELLING_BUILD = 'Cancelling build' satisfies LaunchpadBuildState;

/** What a build record comes to: still active, or ended. An unknown Launchpad state counts as active. */
export const BUILD_RECORD_STATES = [
  'waiting',
  'building',
  'dependency_wait',
  'completed',
  'failed',
  'unknown',
] as const;

export type BuildRecordState = (typeof BUILD_RECORD_STATES)[number];

/** One architecture's build of one source package in the PPA. */
export type BuildRecord = {
  package: string;
  version: string;
  architecture: string;
  /** Launchpad's own word; a string of our list or one that Launchpad has added since. */
  buildState: string;
  /** The record's address in the PPA's web service. */
  selfLink: string;
  /** The record's page for people. */
  webLink: string;
  buildLogUrl: string | null;
  uploadLogUrl: string | null;
  /** Unmet build dependencies, for Dependency wait. */
  dependencies: string | null;
  canBeCancelled: boolean;
  /** When it was put into the queue of its builders; what was recorded before it was kept lacks it. */
  createdAt?: string | null;
  startedAt: string | null;
  builtAt: string | null;
};

/** A build that a cancellation left alone, and the build request that waits for it. */
export type KeptBuild = { selfLink: string; keptFor: number };

/** What has failed: first what says most of the source, last what may yet be built. */
const FAILED_CLASS: Partial<Record<LaunchpadBuildState, FailureClass>> = {
  'Failed to build': 'build_failed',
  'Failed to upload': 'publish_failed',
  'Build for superseded Source': 'superseded',
  'Chroot problem': 'chroot_problem',
  'Cancelled build': 'cancelled',
  'Dependency wait': 'dependency_wait',
};

/**
 * Whether a build has not come to its end for a reason that says nothing of its source, so that the same source may be
 * built in another try.
 */
export function saysNothingOfSource({ buildState }: Pick<BuildRecord, 'buildState'>): boolean {
  const failureClass = FAILED_CLASS[buildState as LaunchpadBuildState];
  return failureClass !== undefined && FAILURE_CLASSES[failureClass].retryable;
}

/** Maps Launchpad's `buildstate` to ours. Never looks at `datebuilt`: it is set while a build is still uploading. */
export function buildRecordState(buildState: string): BuildRecordState {
  switch (buildState as LaunchpadBuildState) {
    case 'Needs building':
      return 'waiting';
    case 'Currently building':
    case 'Gathering build output':
    case 'Uploading build':
    case 'Cancelling build':
      return 'building';
    case 'Dependency wait':
      return 'dependency_wait';
    case 'Successfully built':
      return 'completed';
    case 'Failed to build':
    case 'Chroot problem':
    case 'Failed to upload':
    case 'Cancelled build':
    case 'Build for superseded Source':
      return 'failed';
    default:
      return 'unknown';
  }
}

/**
 * Whether nothing of a build in this state runs. Dependency wait counts: there is a log, Launchpad cannot cancel it,
 * and begins another try once it has what is missing.
 */
export function isRestState(state: BuildRecordState): boolean {
  return state === 'completed' || state === 'failed' || state === 'dependency_wait';
}

/** Whether nothing of a build runs: see `isRestState`. */
export function isAtRest({ buildState }: BuildRecord): boolean {
  return isRestState(buildRecordState(buildState));
}

/**
 * What becomes of a Dependency wait that Airline waits for no longer: Launchpad cannot cancel one, and tries it again
 * by itself.
 */
export const BUILT_LATER = 'the PPA builds it when they come, unless its source is deleted there';

/** Whether a build waits for build dependencies. */
export function waitsForDependencies(record: BuildRecord): boolean {
  return buildRecordState(record.buildState) === 'dependency_wait';
}

export type Verdict =
  { state: 'active' } | { state: 'completed' } | { state: 'failed'; failure: Failure };

/**
 * The verdict on all build records of a request: completed when there is at least one and all are built,
 * failed as soon as one has failed and none is active. Of several that failed, the one counts that says most of the
 * source, in whichever order the PPA lists them.
 *
 * @param dependencyWaitIsOver the grace period for Dependency wait has passed, so that it counts as failed
 */
export function judgeBuildRecords(
  records: readonly BuildRecord[],
  dependencyWaitIsOver: boolean,
): Verdict {
  const states = records.map((record) => buildRecordState(record.buildState));
  const isActive = (state: BuildRecordState) =>
    !isRestState(state) || (state === 'dependency_wait' && !dependencyWaitIsOver);
  if (records.length === 0 || states.some(isActive)) return { state: 'active' };
  const [failed] = Object.keys(FAILED_CLASS).flatMap((state) =>
    records.filter(({ buildState }) => buildState === state),
  );
  return failed ? { state: 'failed', failure: failureOfRecord(failed) } : { state: 'completed' };
}

function failureOfRecord(record: BuildRecord): Failure {
  const where = { package: record.package, architecture: record.architecture };
  const subject = `${record.package} ${record.version} on ${record.architecture}`;
  if (record.buildState === 'Dependency wait')
    return failureOf(
      'dependency_wait',
      `${subject} waits for ${record.dependencies ?? 'build dependencies'}; ${BUILT_LATER}`,
      where,
    );
  if (record.buildState === CANCELLED_BUILD)
    return failureOf('cancelled', `${subject} was cancelled in the PPA, and not by this attempt`, {
      ...where,
      hint: 'Another request, an earlier attempt, or somebody in the PPA cancelled it: retry the build if it is still wanted.',
    });
  const failureClass = FAILED_CLASS[record.buildState as LaunchpadBuildState] ?? 'internal';
  return failureOf(failureClass, `${subject}: ${record.buildState}`, where);
}
