import type { BuildPhase } from './build-phase.ts';
import type { BuildLimits, BuildRequest, BuildState } from './build-request.ts';
import {
  namedSources,
  SOURCE_NAME,
  type CheckedPackage,
  type DescribedPackage,
  type PackageVersion,
} from '../packages/source-file.ts';
import type { BuildRecord } from './build-state.ts';
import type { Failure } from './failure.ts';
import type { Ppa } from '../packages/ppa.ts';

/** The Temporal task queue that workers poll for BuildSourceWorkflow and its activities. */
export const BUILD_TASK_QUEUE = 'build-source';

/**
 * The queues of what takes long, so that it takes no slot of what does not: polls of the PPA, cancellations, reports.
 * They come with a build's limits; one from before there were any has all its tasks on the queue of its workflow.
 */
export const OWN_QUEUES = {
  transferQueue: 'build-source-transfers',
  logQueue: 'build-source-logs',
} as const satisfies Partial<BuildLimits>;

/** Input of BuildSourceWorkflow; `resumed` is set when it continues as new. */
export type BuildSourceInput = {
  request: BuildRequest;
  ppa: Ppa;
  limits: BuildLimits;
  /** All packages of the request as an earlier attempt left them in the PPA; absent where they are not all there. */
  retry?: PackageVersion[];
  resumed?: WatchState;
  /**
   * `AirlineBuildState` tells long phases alone: each change of it is an event of the history and a write of Temporal's
   * store. Inputs from before lack it, and tell each phase.
   */
  tellsLongPhases?: true;
};

/** What the workflow of an attempt begins with. */
export function newBuildInput({
  packagesToRetry,
  ...input
}: Pick<BuildSourceInput, 'request' | 'ppa' | 'limits'> & {
  /** All packages of the request, where they are in the PPA already. */
  packagesToRetry: PackageVersion[] | undefined;
}): BuildSourceInput {
  return {
    ...input,
    tellsLongPhases: true,
    ...(packagesToRetry ? { retry: packagesToRetry } : {}),
  };
}

/**
 * The last report of a build or landing outlasts a database that is away for so long. A workflow that is stuck is
 * ended as much later, too, so it is not more.
 */
export const DATABASE_AWAY_MS = 86_400_000;

// The workflow keeps to its own limits; Temporal ends one that cannot.
const EXECUTION_MARGIN_MS = 3_600_000;
/**
 * For so long, a started build may wait for a worker at no cost of its own time: the rest of the margin is for its end.
 */
const FREE_WAIT_MS = EXECUTION_MARGIN_MS / 2;

/**
 * The time after which Temporal ends the workflow of a build, whatever it does. There is room for a database that is
 * away as it reports its end.
 */
export function executionTimeoutMs(limits: BuildLimits): number {
  const { wholeBuildMs, cancellationMs, logCollectionMs } = limits;
  return wholeBuildMs + cancellationMs + logCollectionMs + DATABASE_AWAY_MS + EXECUTION_MARGIN_MS;
}

/**
 * When the time for the whole build begins: when a worker takes it, or at the latest so long after its workflow was
 * started that it can still be stopped in the PPA before Temporal ends it.
 *
 * @returns in milliseconds of the epoch, as what comes in
 */
export function wholeBuildBeginsAtMs(startedAtMs: number, takenAtMs: number): number {
  return Math.min(takenAtMs, startedAtMs + FREE_WAIT_MS);
}

/** What the workflow carries over when it continues as new. */
export type WatchState = {
  /** The files of those that are uploaded are left out. */
  packages: CheckedPackage[];
  /** Those that were sent last, until the PPA has shown that it has these contents. Older inputs lack it. */
  unverified?: DescribedPackage[];
  /** How many of the packages are uploaded. */
  sent: number;
  /** Names and versions of those of which the upload server has not confirmed all; only where there are any. */
  unclear?: string[];
  /** The PPA has shown every package that was sent. */
  accepted: boolean;
  /** Of a request with an order: the level of the packages that were sent last. */
  level?: number;
  /** Packages that were left out because another one was not built, both by their places; only where there are any. */
  notBuilt?: { place: number; because: number }[];
  /** Why the first package failed for which another one was left out. */
  prerequisiteFailure?: Failure;
  records: BuildRecord[];
  polls: number;
  /** When the time for the whole build began. */
  startedAtMs: number;
  /** Of the latest packages; where the PPA does not show them after an outage, when that ended. */
  uploadedAtMs: number;
  dependencyWaitSinceMs: number | null;
  cancellation: Cancellation | null;
  /** Its builds are being stopped in the PPA, until then at most; `failure`: why, where nobody has cancelled them. */
  stopping?: { untilMs: number; rounds: number; failure?: Failure };
};

/**
 * What an attempt has sent to the PPA, as its rows tell. `packages` is empty where they do not tell which, and so is
 * `records` where they do not tell its builds.
 */
export type SentPackages = Pick<WatchState, 'unverified' | 'accepted' | 'records'> & {
  packages: PackageVersion[];
};

/** Who asked to cancel, and when the workflow learned of it. */
export type Cancellation = { requestedBy: string; requestedAtMs: number };

/** Result of BuildSourceWorkflow. A failed build is a result, not an exception. */
export type BuildSourceResult =
  { state: 'completed'; logs: string[] } | { state: 'failed'; failure: Failure; logs: string[] };

/**
 * The workflow id of a build's attempt, such as `build-42-ticket-7-hello`, or `build-42-ticket-7-hello-attempt-2`: so
 * that operators can read a list of them. It is made of what never changes in an attempt, so that a second start is
 * refused.
 */
export function buildWorkflowId(build: {
  buildId: number;
  ticketId: number;
  sourcePackages: readonly string[];
  /** Set where the sources are made only by its workflow. */
  merge?: unknown;
  attempt: number;
}): string {
  const sources = build.merge
    ? ['merge']
    : namedSources(build.sourcePackages).map(({ source }) => source);
  const [first = '', ...others] = [...new Set(sources)];
  // The id becomes a part of addresses.
  const named = SOURCE_NAME.test(first) ? `-${first}` : '';
  const more = named && others.length > 0 ? `-and-${others.length}-more` : '';
  const again = build.attempt > 1 ? `-attempt-${build.attempt}` : '';
  return `build-${build.buildId}-ticket-${build.ticketId}${named}${more}${again}`;
}

/** The build of a workflow id; undefined where the id is not of this form. */
export function buildIdOfWorkflow(workflowId: string): number | undefined {
  const id = /^build-(\d{1,9})-ticket-\d+(?:-|$)/.exec(workflowId)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Search attributes that operators filter by in Temporal's UI, with their Temporal types. */
export const SEARCH_ATTRIBUTES = {
  AirlineTicket: 'INT',
  AirlinePpa: 'KEYWORD',
  AirlineSeries: 'KEYWORD',
  AirlineSource: 'KEYWORD_LIST',
  AirlineBuildState: 'KEYWORD',
  AirlineLandingPhase: 'KEYWORD',
} as const;

/** The signal that cancels a build; its argument is who asks. */
export const CANCEL_SIGNAL = 'cancel';

/** Who asks where the cancel URL says that the caller is gone. */
export const CANCEL_URL_CALLER = 'the cancel URL';

/** The type of an activity's failure where the cancel URL said that the caller is gone. */
export const CALLER_GONE = 'caller_gone';

/** The type of an activity's failure where the attempt that it is to work for had ended before. */
export const ATTEMPT_ENDED = 'attempt_ended';

/** The query for the state of a build; it answers a BuildStatus. */
export const STATUS_QUERY = 'status';

/** Answer of the status query. */
export type BuildStatus = {
  state: BuildState;
  phase: BuildPhase;
  records: BuildRecord[];
  polls: number;
  cancellation: Cancellation | null;
};
