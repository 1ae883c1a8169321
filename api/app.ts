import Koa from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { SourceUrlRule } from '../domain/source-url.ts';
import type { TokenLifetimes } from '../models/access-token.ts';
import type { Database } from '../models/database.ts';
import type { ProgressFeed } from '../models/progress-feed.ts';
import type { DataStore } from '../store/store.ts';
import { authenticate, type Authentication, type SessionRules } from './authentication.ts';
import type { BuildWorkflows } from './build-workflows.ts';
import { allowOrigins } from './cors.ts';
import { refuseCrossSite } from './cross-site.ts';
import { documentationOperations } from './documentation-routes.ts';
import { answerErrors, answerUnrouted } from './errors.ts';
import type { StreamIntervals } from './event-stream.ts';
import { requireLoopbackHost } from './host-check.ts';
import { idempotent } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { overrideMethod } from './method-override.ts';
import { createMetrics } from './metrics.ts';
import type { Operation } from './operation.ts';
import { listOperations } from './operations.ts';
import { limitRate } from './rate-limit.ts';
import { logRequests } from './request-log.ts';
import { routeOperations } from './route-operations.ts';
import { setSecurityHeaders } from './security-headers.ts';
import type { Probes, WorkerQueue } from './status-routes.ts';
import { webOperations } from './web-routes.ts';

export type ApiDependencies = {
  /** Of Airline, for the OpenAPI document. */
  version: string;
  database: Database;
  store: DataStore;
  feed: ProgressFeed;
  /** Called after a build was accepted or is to be cancelled: the dispatcher has something to do. */
  onBuildChange: () => void;
  describeQueues: () => Promise<WorkerQueue[]>;
  readHistory: BuildWorkflows['readHistory'];
  probes: Probes;
  sourceUrls: SourceUrlRule;
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
    /** Seconds that a caller is told to wait when the API cannot answer now. */
    retryAfterS: number;
    streams: StreamIntervals & { most: number };
    /** Least time between two events of the stream of changes. */
    changesMs: number;
    tokenLifetimes: TokenLifetimes;
    authenticationFailures: { most: number; windowMs: number };
    rate: { requests: number; windowMs: number };
    idempotency: { lifetimeMs: number; inFlightMs: number };
  };
  /** off: everybody may do everything, which is for loopback only. */
  authentication: 'off' | 'token';
  sessions: SessionRules;
  /** Where the files of the web UI are. */
  webDirectory: string;
  /** Proxies before the API, whose word on the caller's address is taken. */
  trustedProxies: number;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[];
  /** Whether the metrics tell of the process, too: where there is one API in it. */
  measureProcess: boolean;
  /** Aborts when the API stops. */
  stopping: AbortSignal;
  logger: Logger;
};

/** Makes the API. It does not listen. */
export function createApp(dependencies: ApiDependencies): Koa {
  const { database, limits, logger, authentication: mode, trustedProxies } = dependencies;
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  const { operations, metrics, authorize } = allOperations(dependencies);
  const route = routeOperations(operations, {
    authorize,
    limitRate: limitRate(limits.rate),
    readBody: ({ body, bodyMaxBytes: maxBytes = limits.bodyMaxBytes }) =>
      jsonBody(maxBytes, body instanceof z.ZodArray),
    runOnce: idempotent(database, { ...limits.idempotency, retryAfterS: limits.retryAfterS }),
  });

  app.on('error', (error: NodeJS.ErrnoException) => {
    // Who follows a stream leaves whenever it likes.
    const level = error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'debug' : 'error';
    logger[level]({ err: error }, 'an answer was cut');
  });
  app.use(logRequests(logger));
  app.use(metrics.middleware);
  app.use(setSecurityHeaders());
  app.use(answerErrors(limits.retryAfterS));
  if (mode === 'off') app.use(requireLoopbackHost());
  app.use(refuseCrossSite(dependencies.corsOrigins));
  app.use(allowOrigins(dependencies.corsOrigins));
  app.use(overrideMethod());
  app.use(answerUnrouted());
  app.use(route);
  return app;
}

/** Every operation of the API, the metrics that one of them serves, and the rules of access to them. */
export function allOperations(dependencies: ApiDependencies): {
  operations: readonly Operation[];
  metrics: ReturnType<typeof createMetrics>;
  authorize: Authentication['authorize'];
} {
  const { database, limits, logger, authentication: mode, sessions } = dependencies;
  const streams = { count: 0 };
  const metrics = createMetrics({
    database,
    rowsTimeoutMs: limits.probeTimeoutMs,
    eventStreams: () => streams.count,
    ofProcess: dependencies.measureProcess,
    logger,
  });
  const failures = limits.authenticationFailures;
  const authentication = authenticate({ mode, database, failures, sessions });
  const described = [
    ...listOperations(dependencies, streams, authentication),
    metrics.operation,
    ...webOperations(dependencies.webDirectory),
  ];
  const { version } = dependencies;
  return {
    operations: [
      ...described,
      ...documentationOperations(described, { version, authentication: mode }),
    ],
    metrics,
    authorize: authentication.authorize,
  };
}
