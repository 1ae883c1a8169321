import type { BuildOrder } from './build-order.ts';

/** The queue name of a caller: what AMQP takes, without the broker's own `amq.` names. */
export const PROGRESS_TRIGGER = /^(?!amq\.)[A-Za-z0-9._:-]{1,255}$/;

/** The commits that a source package was made of. */
export type MergedCommits = {
  source: string;
  target: string;
  /** Null where debian/ is not on a branch of its own. */
  packaging: string | null;
  /** That of the upstream tag; null where the source has no upstream tarball. */
  upstream: string | null;
};

/** What a build makes its source package of: a merge proposal, as it was when the build was requested. */
export type Merge = {
  merge_proposal: string;
  source_repository: string;
  source_branch: string;
  target_repository: string;
  target_branch: string;
  packaging_branch: string;
  /** Once the source is made; of one that older code made it is not known. */
  commits?: MergedCommits;
};

/** A build request as the build row keeps it (source build service, "Build request"). */
export type BuildRequest = {
  buildId: number;
  /** 1, or more after retries; inputs of workflows from before there were retries lack it. */
  attempt?: number;
  /**
   * Random, of the attempt: names it also where the database was set back and gives its number again. Older inputs lack
   * it.
   */
  attemptKey?: string;
  ticketId: number;
  /** Data-store URLs of all files of the source packages. */
  sourcePackages: string[];
  series: string;
  /** As the caller wrote it; messages echo it. */
  ppa: string;
  archive: string;
  /** The caller's queue; null where it is told by a webhook alone. */
  progressTrigger: string | null;
  cancelUrl: string | null;
  /** Of a build of a merge proposal: `sourcePackages` is empty until its source is made. */
  merge?: Merge;
  /** In which order its packages are built; all at once where it is absent. */
  order?: BuildOrder;
  /** Of a retry: the architectures that it builds again; all that failed where it is absent. */
  retryArchitectures?: string[];
};

/** Intervals and deadlines of one build; config gives the defaults. */
export type BuildLimits = {
  /** Wait before the first poll of the PPA; later waits grow by `pollFactor` up to `pollMaxMs`. */
  pollInitialMs: number;
  pollFactor: number;
  pollMaxMs: number;
  /** Time for the PPA to show an upload; after it, the upload counts as rejected. */
  acceptanceMs: number;
  /** Time that a Dependency wait may last before it counts as failed. */
  dependencyWaitMs: number;
  /** Time for the whole build, from when a worker takes it (`wholeBuildBeginsAtMs`). */
  wholeBuildMs: number;
  /** Time for one try to fetch and check the sources, or to make them of a merge proposal. */
  sourceCheckMs: number;
  /** Time for one source package's upload, all tries together. */
  uploadMs: number;
  /** Time for one session of an upload; inputs from before there was a limit lack it. */
  uploadSessionMs?: number;
  /** Time for one try to collect all logs. */
  logCollectionMs: number;
  /** Time for the PPA to end the builds of a cancelled request. */
  cancellationMs: number;
  /** A build completes only when its binaries are published; inputs from before there was a choice lack it. */
  awaitPublication?: boolean;
  /** The workflow continues as new when its history has this many events. */
  historyMaxEvents: number;
  /** The task queue of what fetches and sends sources, and that of the logs; absent: the workflow's own. */
  transferQueue?: string;
  logQueue?: string;
  /** The PPA is polled for all of its builds together; a build from before that polls by itself. */
  ppaWatch?: boolean;
};

/** Where a build stands, in coarse words; its phase (`build-phase.ts`) says it in full. */
export const BUILD_STATES = [
  'queued',
  'checking',
  'uploading',
  'accepting',
  'building',
  'collecting',
  'completed',
  'failed',
] as const;

export type BuildState = (typeof BUILD_STATES)[number];
