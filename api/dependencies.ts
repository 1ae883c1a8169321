import type { Logger } from 'pino';
import type { PlacedPolicy } from '../domain/landings/placed-policy.ts';
import type { SourceUrlRule } from '../domain/access/source-url.ts';
import type { TargetRule } from '../domain/access/target-rule.ts';
import type { UploadCheck, UploadProblem } from '../domain/builds/upload-check.ts';
import type { WorkerProcess } from '../domain/service/worker-process.ts';
import type { WorkerQueue } from '../domain/service/worker-queue.ts';
import type { WorkflowHistory } from '../domain/builds/workflow-history.ts';
import type { TokenLifetimes } from '../models/service/access-token.ts';
import type { Database } from '../models/database.ts';
import type { ProgressFeed } from '../models/events/progress-feed.ts';
import type { DataStore } from '../store/store.ts';
import type { Content } from './http/answer-content.ts';
import type { Streams } from './http/answer-stream.ts';
import type { Authentication, SessionRules } from './http/authentication.ts';
import type { Metrics } from './http/metrics.ts';
import type { Places } from './http/places.ts';

/** Checks a part that the API depends on; throws where it does not answer. */
export type Probe = () => Promise<void>;
type Probes = Readonly<Record<'database' | 'temporal' | 'broker' | 'store', Probe>>;
/** How such a part answers. */
export type Health = { healthy: boolean; latency_ms: number; error?: string };
type HealthOfParts = Record<keyof Probes, Health>;

export type StreamIntervals = {
  /** A comment is sent when there was nothing else for this long, so that proxies keep the connection. */
  heartbeatMs: number;
  /** The table is polled this often even when nobody tells of a change. */
  pollMs: number;
};

/** All that the API needs from the process that it runs in. */
export type ApiDependencies = {
  /** Of Airline, for the documents that describe the API. */
  version: string;
  database: Database;
  store: DataStore;
  feed: ProgressFeed;
  /** Called after a commit that gives the dispatcher or the publisher something to do. */
  wakeDispatch: () => void;
  /** Why a PPA would not take an upload; fails where no worker brings the PPA's answer in time. */
  checkUpload: (check: UploadCheck) => Promise<UploadProblem[]>;
  describeQueues: () => Promise<WorkerQueue[]>;
  describeWorkers: () => Promise<WorkerProcess[]>;
  /** Calls of the PPA's web service that all workers may make in a second. */
  launchpadCallsPerSecond: number;
  /** Builds poll their PPA by themselves where no watch has for so long. */
  unwatchedMs: number;
  /** The history of a run of a workflow, the latest where none is named; undefined where Temporal has none. */
  readHistory: (workflowId: string, runId?: string) => Promise<WorkflowHistory | undefined>;
  probes: Probes;
  sourceUrls: SourceUrlRule;
  webhookUrls: SourceUrlRule;
  /** Where builds go and report to. */
  targets: TargetRule;
  /** What landings have to fulfil, by target. */
  landingPolicies: readonly PlacedPolicy[];
  /** The page of a workflow in Temporal's UI. */
  workflowUrl: (workflowId: string) => string | null;
  limits: {
    bodyMaxBytes: number;
    /** Of a file of project data. */
    importMaxBytes: number;
    storeMaxBytes: number;
    /** Most attempts of one build. */
    buildAttempts: number;
    probeTimeoutMs: number;
    /** How long a health check counts for; absent: 2 s. */
    healthMs?: number;
    /** Seconds that a caller is told to wait when the API cannot answer now. */
    retryAfterS: number;
    /** `maxOfToken`: most of one token; all of them where it is absent. */
    streams: StreamIntervals & { max: number; maxOfToken?: number };
    /** Uploads that are checked at once. */
    uploadChecks: number;
    /** Files that the data store takes at once. */
    storeWrites: number;
    /** Files that are read of it at once; absent: 500. */
    storeReads?: number;
    /** Shortest time between two events of the stream of changes. */
    changesMs: number;
    tokenLifetimes: TokenLifetimes;
    authenticationFailures: { max: number; windowMs: number };
    rate: { requests: number; windowMs: number };
    idempotency: { lifetimeMs: number; inFlightMs: number };
  };
  /** off: everybody may do everything, which is for loopback only. */
  authentication: 'off' | 'token';
  sessions: SessionRules;
  /** Where the files of the web UI are. */
  webDirectory: string;
  /** Proxies in front of the API that are trusted to tell the caller's address. */
  trustedProxies: number;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[];
  /** Whether the metrics tell of the process, too: where there is one API in it. */
  measureProcess: boolean;
  /** Aborts when the API stops. */
  stopping: AbortSignal;
  logger: Logger;
};

/** Everything that a handler gets: what the process gives the API, and what the API makes of it once. */
export type HandlerDependencies = ApiDependencies & {
  readonly authenticator: Authentication;
  readonly metrics: Metrics;
  readonly streams: Streams;
  /** How the parts that the API depends on are, by a health check that still counts. */
  readonly checkHealth: () => Promise<HealthOfParts>;
  /** Whether the API has found, now or ever, what it cannot do without. */
  readonly checkStart: () => Promise<boolean>;
  /** What Temporal tells of the queues and of the workers, or has told a moment ago; fails when the time is over. */
  readonly readQueues: ApiDependencies['describeQueues'];
  readonly readWorkers: ApiDependencies['describeWorkers'];
  /** So many of each are there at once, since each holds memory or connections. */
  readonly places: Readonly<
    Record<'uploadChecks' | 'storeReads' | 'storeWrites' | 'imports', Places>
  >;
  /** The OpenAPI document, as it is served; described when it is first asked for. */
  readonly openApi: () => Content;
  /** The AsyncAPI document, likewise. */
  readonly asyncApi: () => Content;
  readonly now: () => Date;
};

/** What reading and serializing a resource needs. */
export type ResourceDependencies = Pick<ApiDependencies, 'database' | 'workflowUrl'>;
