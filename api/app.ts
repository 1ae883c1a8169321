import { Router } from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { SourceUrlRule } from '../domain/source-url.ts';
import type { Database } from '../models/database.ts';
import type { ProgressFeed } from '../models/progress-feed.ts';
import type { DataStore } from '../store/store.ts';
import { routeBuilds } from './build-routes.ts';
import type { RequestState } from './context.ts';
import { answerErrors, answerUnrouted } from './errors.ts';
import type { StreamIntervals } from './event-stream.ts';
import { requireLoopbackHost } from './host-check.ts';
import { jsonBody } from './json-body.ts';
import { logRequests } from './request-log.ts';
import { routeResource } from './resource-routes.ts';
import { buildResource } from './resources/build.ts';
import { sourcePackage } from './resources/source-package.ts';
import { sourcePackageUpload } from './resources/source-package-upload.ts';
import { subticketArtifact } from './resources/subticket-artifact.ts';
import { subticket } from './resources/subticket.ts';
import { ticketArtifact } from './resources/ticket-artifact.ts';
import { ticket } from './resources/ticket.ts';
import { routeStatus, type Probes, type WorkerQueue } from './status-routes.ts';
import { routeStore } from './store-routes.ts';
import { routeTicketViews } from './ticket-views.ts';

export type ApiDependencies = {
  database: Database;
  store: DataStore;
  feed: ProgressFeed;
  /** Called after a build was accepted or is to be cancelled: the dispatcher has something to do. */
  onBuildChange: () => void;
  describeQueues: () => Promise<WorkerQueue[]>;
  probes: Probes;
  sourceUrls: SourceUrlRule;
  /** The page of a workflow in Temporal's UI. */
  workflowUrl: (workflowId: string) => string | null;
  limits: {
    bodyMaxBytes: number;
    storeMaxBytes: number;
    probeTimeoutMs: number;
    /** Seconds that a caller is told to wait when the API cannot answer now. */
    retryAfterS: number;
    streams: StreamIntervals & { most: number };
  };
  /** Aborts when the API stops. */
  stopping: AbortSignal;
  logger: Logger;
};

/** Makes the API. It does not listen. */
export function createApp(dependencies: ApiDependencies): Koa {
  const { database, limits, logger } = dependencies;
  const app = new Koa();
  const router = new Router<RequestState>();
  const readBody = jsonBody(limits.bodyMaxBytes);
  const build = buildResource(dependencies.workflowUrl);
  const routes = { router, database, readBody };

  for (const resource of [
    ticket,
    sourcePackage,
    sourcePackageUpload,
    subticket,
    ticketArtifact,
    subticketArtifact,
  ])
    routeResource(routes, resource);
  routeTicketViews({ ...routes, build });
  routeBuilds({
    ...routes,
    build,
    sourceUrls: dependencies.sourceUrls,
    feed: dependencies.feed,
    streams: limits.streams,
    stopping: dependencies.stopping,
    onChange: dependencies.onBuildChange,
  });
  routeStatus({
    router,
    database,
    probes: dependencies.probes,
    probeTimeoutMs: limits.probeTimeoutMs,
    describeQueues: dependencies.describeQueues,
  });
  routeStore({ router, store: dependencies.store, maxBytes: limits.storeMaxBytes });

  app.on('error', (error: Error) => logger.error({ err: error }, 'an answer was cut'));
  app.use(logRequests(logger));
  app.use(answerErrors(limits.retryAfterS));
  app.use(requireLoopbackHost());
  app.use(answerUnrouted());
  app.use(router.routes());
  return app;
}
