import type { Logger } from 'pino';
import type { SourceUrlRule } from '../domain/access/source-url.ts';
import type { Database } from '../models/database.ts';
import type { PpaClient } from '../ppa/client.ts';
import type { UploadServer } from '../ppa/upload.ts';
import type { DataStore } from '../store/store.ts';
import type { Signing } from './sources/sign-package.ts';
import type { Resolve } from './sources/shared-lookup.ts';
import type { BuildWatches } from './temporal/build-watches.ts';
import type { TaskQueues } from './temporal/read-queues.ts';

/** All that the activities of a worker need. */
export type ActivityDependencies = {
  ppaClient: PpaClient;
  uploadServer: UploadServer;
  store: DataStore;
  database: Pick<
    Database,
    | 'sequelize'
    | 'Build'
    | 'Image'
    | 'Landing'
    | 'LandingClaim'
    | 'LandingEvent'
    | 'MergeProposal'
    | 'PoolPpa'
    | 'PpaLease'
    | 'PpaPast'
    | 'PpaWatch'
    | 'ProgressEvent'
    | 'SourcePackage'
    | 'SourcePackageUpload'
    | 'Subticket'
    | 'SubticketArtifact'
    | 'TestOverride'
    | 'TestRun'
    | 'TestVerdict'
    | 'Ticket'
    | 'WatchedBuild'
  >;
  logger: Logger;
  sources: {
    /** Which URLs are fetched. */
    rule: SourceUrlRule;
    maxBytes: number;
    /** A download may bring nothing for so long. */
    idleTimeoutMs: number;
    /** Time for one file while the sources are checked, and for one command of a merge. */
    fileMs: number;
    /** Memory for each process of a merge. */
    memoryBytes: number;
    /** Sources of merge proposals that a worker makes at the same time. */
    mergesAtOnce: number;
    /** Commits that are fetched of a branch that is to be merged. */
    gitDepth: number;
    /** Asks for the addresses of a host; by default the system does. */
    resolve?: Resolve;
  };
  /** Signs unsigned sources; null refuses them. */
  signing: Signing | null;
  cancelUrlTimeoutMs: number;
  /** Wait between two questions to a cancel URL while a step is under way; 10 s where it is not given. */
  cancelUrlPollMs?: number;
  /** Bound of one log, and hosts besides the PPA's own that Launchpad's logs may redirect to. */
  logs: { maxBytes: number; hosts: readonly string[]; idleTimeoutMs: number };
  /** Root of the PPAs' apt repositories: `<root>/<owner>/<ppa>/<distribution>`. */
  aptUrl: string;
  /** The workflows that watch PPAs, and those of the builds in them. */
  watches: BuildWatches;
  /** Where the work of testers waits. */
  queues: TaskQueues;
  /** Called after each recorded event, such as to wake the publisher of this process. */
  onRecorded?: () => void;
};
