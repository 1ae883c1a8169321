import Koa from 'koa';
import { z } from 'zod';
import { MAX_STREAM_MS } from './http/answer-stream.ts';
import { authenticate } from './http/authentication.ts';
import { compressAnswers } from './http/compress-answers.ts';
import type { ApiDependencies, HandlerDependencies } from './dependencies.ts';
import { allowOrigins } from './http/cors.ts';
import { refuseCrossSite } from './http/cross-site.ts';
import { describeApi } from './openapi/document.ts';
import { answerErrors, answerUnrouted } from './http/errors.ts';
import { requireLoopbackHost } from './http/host-check.ts';
import { idempotent } from './http/idempotency.ts';
import { jsonBody } from './http/json-body.ts';
import { needsBody } from './http/operation.ts';
import { overrideMethod } from './http/method-override.ts';
import { createMetrics } from './http/metrics.ts';
import { OPERATIONS } from './operations.ts';
import type { Places } from './http/places.ts';
import { presentAddresses } from './http/present-addresses.ts';
import { limitRate } from './http/rate-limit.ts';
import { logRequests } from './http/request-log.ts';
import { routeOperations } from './http/route-operations.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { servedDocument } from './http/served-document.ts';
import { answerUnknownPages } from './service/web-routes.ts';
import { MAX_AGE_MS, createHealthCheck } from './service/check-health.ts';
import { createStartCheck } from './service/check-start.ts';
import { describeMessages } from './service/message-documents.ts';
import { withDeadline } from '../timing/deadline.ts';
import { shareAnswer } from '../timing/share-answer.ts';

/** Each that is read slowly holds a connection to a bucket as long, of a thousand (`store/s3.ts`). */
const MAX_STORE_READS = 500;
/** Each takes many times the memory of a file that may be large; they are seldom, and take seconds. */
const MAX_IMPORTS = 2;

/** Makes the API. It does not listen. */
export function createApp(dependencies: ApiDependencies): Koa {
  const { database, limits, logger, authentication: mode, trustedProxies } = dependencies;
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  const deps = handlerDependencies(dependencies);
  const route = routeOperations(OPERATIONS, deps, {
    access: deps.authenticator,
    limitRate: limitRate(limits.rate),
    readBody: (operation) => {
      const { bodyLimit = 'bodyMaxBytes' } = operation;
      return jsonBody(typeof bodyLimit === 'number' ? bodyLimit : limits[bodyLimit], {
        isList: operation.body instanceof z.ZodArray,
        isNeeded: needsBody(operation),
      });
    },
    runOnce: idempotent(database, { ...limits.idempotency, retryAfterS: limits.retryAfterS }),
  });

  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client may leave a stream at any time.
    const level = error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'debug' : 'error';
    logger[level]({ err: error }, 'an answer was cut');
  });
  app.use(logRequests(logger));
  app.use(deps.metrics.middleware);
  app.use(setSecurityHeaders());
  app.use(compressAnswers());
  app.use(presentAddresses(dependencies.sourceUrls));
  app.use(answerErrors(limits.retryAfterS));
  if (mode === 'off') app.use(requireLoopbackHost());
  app.use(refuseCrossSite(dependencies.corsOrigins));
  app.use(allowOrigins(dependencies.corsOrigins));
  app.use(overrideMethod());
  app.use(answerUnrouted());
  app.use(answerUnknownPages(deps));
  app.use(route);
  return app;
}

/** What handlers get besides the dependencies: what each API makes once. */
function handlerDependencies(dependencies: ApiDependencies): HandlerDependencies {
  const { database, limits, logger, authentication: mode, sessions } = dependencies;
  const { probeTimeoutMs, healthMs = MAX_AGE_MS, storeReads = MAX_STORE_READS } = limits;
  // One token leaves half of the places to others. Without tokens all callers have one name.
  const placesFor = (of: string, max: number, maxOfToken = Math.ceil(max / 2)): Places => ({
    of,
    max,
    maxOfToken: mode === 'token' ? maxOfToken : max,
    taken: { count: 0, ofToken: new Map() },
  });
  const { max, maxOfToken = max } = limits.streams;
  const streams = placesFor('Event streams open', max, maxOfToken);
  const shared = <T>(ask: () => Promise<T>) =>
    shareAnswer(() => withDeadline(ask(), probeTimeoutMs), healthMs);
  return {
    ...dependencies,
    authenticator: authenticate({
      mode,
      database,
      failures: limits.authenticationFailures,
      sessions,
    }),
    metrics: createMetrics({
      database,
      rowsTimeoutMs: probeTimeoutMs,
      eventStreams: () => streams.taken.count,
      ofProcess: dependencies.measureProcess,
      logger,
    }),
    streams: { places: streams, maxMs: MAX_STREAM_MS, stopping: dependencies.stopping },
    checkHealth: createHealthCheck(dependencies.probes, probeTimeoutMs, { maxAgeMs: healthMs }),
    checkStart: createStartCheck({
      database,
      timeoutMs: probeTimeoutMs,
      maxAgeMs: healthMs,
      logger,
    }),
    readQueues: shared(dependencies.describeQueues),
    readWorkers: shared(dependencies.describeWorkers),
    places: {
      uploadChecks: placesFor('Uploads being checked', limits.uploadChecks, limits.uploadChecks),
      storeReads: placesFor('Files being read', storeReads),
      storeWrites: placesFor('Files being stored', limits.storeWrites),
      imports: placesFor('Imports under way', MAX_IMPORTS),
    },
    openApi: servedDocument(() => describeApi(OPERATIONS, dependencies)),
    asyncApi: servedDocument(() => describeMessages(dependencies.version)),
    now: () => new Date(),
  };
}
