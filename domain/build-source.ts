import type { BuildRecord } from './build-state.ts';
import type { Failure } from './failure.ts';
import type { Ppa } from './ppa.ts';

/** The Temporal task queue that workers poll for BuildSourceWorkflow and its activities. */
export const BUILD_TASK_QUEUE = 'build-source';

/** The queue name of a caller: what AMQP takes, without the broker's own `amq.` names. */
export const PROGRESS_TRIGGER = /^(?!amq\.)[A-Za-z0-9._:-]{1,255}$/;

/** A build request as the build row keeps it (source build service, "Build request"). */
export type BuildRequest = {
  buildId: number;
  /** 1, or more after retries; inputs of workflows from before there were retries lack it. */
  attempt?: number;
  ticketId: number;
  /** Data-store URLs of all files of the source packages. */
  sourcePackages: string[];
  series: string;
  /** As the caller wrote it; messages echo it. */
  ppa: string;
  archive: string;
  progressTrigger: string;
  cancelUrl: string | null;
};

/** Intervals and deadlines of one build; config gives the defaults. */
export type BuildLimits = {
  /** Wait before the first look at the PPA; later waits grow by `pollFactor` up to `pollMaxMs`. */
  pollInitialMs: number;
  pollFactor: number;
  pollMaxMs: number;
  /** A STATUS message is repeated at least this often while the PPA builds. */
  progressIntervalMs: number;
  /** Time for the PPA to show an upload; after it, the upload counts as rejected. */
  acceptanceMs: number;
  /** Time that a Dependency wait may last before it counts as failed. */
  dependencyWaitMs: number;
  /** Time for the whole build, from its request. */
  wholeBuildMs: number;
  /** Time for one source package's fetch and check, all tries together. */
  sourceCheckMs: number;
  /** Time for one source package's upload, all tries together. */
  uploadMs: number;
  /** Time for one session of an upload; inputs from before there was a limit lack it. */
  uploadSessionMs?: number;
  /** Time for the collection of all logs. */
  logCollectionMs: number;
  /** Time for the PPA to end the builds of a cancelled request. */
  cancellationMs: number;
  /** A build completes only when its binaries are published; inputs from before there was a choice lack it. */
  awaitPublication?: boolean;
  /** The workflow continues as new when its history has this many events. */
  historyMaxEvents: number;
};

/** Input of BuildSourceWorkflow; `resumed` is set when it continues as new. */
export type BuildSourceInput = {
  request: BuildRequest;
  ppa: Ppa;
  limits: BuildLimits;
  /** All packages of the request as an earlier attempt left them in the PPA; absent where they are not all there. */
  retry?: PackageVersion[];
  resumed?: WatchState;
};

/** A version of a source package. */
export type PackageVersion = { source: string; version: string };

/** What the workflow carries over when it continues as new. */
export type WatchState = {
  packages: CheckedPackage[];
  /** How many of the packages are uploaded. */
  sent: number;
  /** Names and versions of those of which the upload server has not confirmed all; only where there are any. */
  unclear?: string[];
  /** The PPA has shown every package. */
  accepted: boolean;
  records: BuildRecord[];
  polls: number;
  startedAtMs: number;
  uploadedAtMs: number;
  reportedAtMs: number;
  dependencyWaitSinceMs: number | null;
  cancellation: Cancellation | null;
};

/** Who asked to cancel, and when the workflow learned of it. */
export type Cancellation = { requestedBy: string; requestedAtMs: number };

/** Result of BuildSourceWorkflow. A failed build is a result, not an exception. */
export type BuildSourceResult =
  { state: 'completed'; logs: string[] } | { state: 'failed'; failure: Failure; logs: string[] };

/** A source package whose files are fetched and checked. */
export type CheckedPackage = {
  source: string;
  version: string;
  /** Every file to upload, the `.changes` last. */
  files: SourceFile[];
};

/** One file of a source package, as the data store has it. */
export type SourceFile = {
  name: string;
  url: string;
  sizeBytes: number;
  sha256: string;
  /** Of a file in our own data store: names this content; no other content of its key has it. */
  storeVersion?: string;
};

/**
 * The workflow id of a build's attempt, such as `build-42-ticket-7-hello`, or `build-42-ticket-7-hello-attempt-2`: for
 * operators who read a list of them. It comes from what never changes of an attempt, so that its second start is refused.
 */
export function buildWorkflowId(build: {
  buildId: number;
  ticketId: number;
  sourcePackages: readonly string[];
  attempt: number;
}): string {
  const sources = namedSources(build.sourcePackages).map((name) => name.split(' ')[0]);
  const [first = '', ...others] = [...new Set(sources)];
  // What is not a source package name is no address either.
  const named = /^[a-z0-9][a-z0-9+.-]{0,99}$/.test(first) ? `-${first}` : '';
  const more = named && others.length > 0 ? `-and-${others.length}-more` : '';
  const again = build.attempt > 1 ? `-attempt-${build.attempt}` : '';
  return `build-${build.buildId}-ticket-${build.ticketId}${named}${more}${again}`;
}

/** The build of a workflow id; undefined where it is no id of ours. */
export function buildIdOfWorkflow(workflowId: string): number | undefined {
  const id = /^build-(\d{1,9})-ticket-\d+(?:-|$)/.exec(workflowId)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Where a build stands, as its row, its search attribute and its Temporal details say. */
export type BuildState =
  | 'queued'
  | 'checking'
  | 'uploading'
  | 'accepting'
  | 'building'
  | 'collecting'
  | 'completed'
  | 'failed';

/** Search attributes that operators filter by in Temporal's UI, with their Temporal types. */
export const SEARCH_ATTRIBUTES = {
  AirlineTicket: 'INT',
  AirlinePpa: 'KEYWORD',
  AirlineSeries: 'KEYWORD',
  AirlineSource: 'KEYWORD_LIST',
  AirlineBuildState: 'KEYWORD',
} as const;

/** The signal that cancels a build; its argument is who asks. */
export const CANCEL_SIGNAL = 'cancel';

/** The query that tells where a build stands; it answers a BuildStatus. */
export const STATUS_QUERY = 'status';

/** Answer of the status query. */
export type BuildStatus = {
  state: BuildState;
  records: BuildRecord[];
  polls: number;
  cancellation: Cancellation | null;
};

/** A plain name of a `.changes`: nothing of it acts in an address, a header, a log or Markdown. */
const CHANGES_NAME =
  /^([A-Za-z0-9][A-Za-z0-9.+~-]*)_([A-Za-z0-9.+~-]+)(?:_[A-Za-z0-9.+~_-]*)?\.changes$/;

/**
 * The names and versions that a request's `.changes` URLs say it holds (`<source>_<version>_<kind>.changes`): by the
 * last part of the path alone, since a query may hold anything.
 */
export function namedSources(sourcePackages: readonly string[]): string[] {
  return sourcePackages.flatMap((url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const name = decoded(path.slice(path.lastIndexOf('/') + 1));
    const [, source, version] = CHANGES_NAME.exec(name) ?? [];
    return source === undefined ? [] : [`${source} ${version}`];
  });
}

/**
 * The packages of a request that a retry may ask the PPA to build again; undefined unless each source package of the
 * request is among them, so that none is left out.
 *
 * @param builds what an earlier attempt saw in the PPA
 */
export function packagesInPpa(
  sourcePackages: readonly string[],
  builds: readonly { package: string; version: string }[],
): PackageVersion[] | undefined {
  const packages = new Map(
    builds.map(({ package: source, version }) => [`${source} ${version}`, { source, version }]),
  );
  const all = namedSources(sourcePackages).length;
  return all > 0 && packages.size === all ? [...packages.values()] : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
