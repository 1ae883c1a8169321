import Koa from 'koa';
import { z } from 'zod';
import { authenticate, type Authentication } from './http/authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { allowOrigins } from './http/cors.ts';
import { refuseCrossSite } from './http/cross-site.ts';
import { documentationOperations } from './openapi/documentation-routes.ts';
import { answerErrors, answerUnrouted } from './http/errors.ts';
import { requireLoopbackHost } from './http/host-check.ts';
import { idempotent } from './http/idempotency.ts';
import { jsonBody } from './http/json-body.ts';
import { overrideMethod } from './http/method-override.ts';
import { createMetrics } from './http/metrics.ts';
import type { Operation } from './http/operation.ts';
import { listOperations } from './operations.ts';
import { limitRate } from './http/rate-limit.ts';
import { logRequests } from './http/request-log.ts';
import { routeOperations } from './http/route-operations.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { webOperations } from './service/web-routes.ts';

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
