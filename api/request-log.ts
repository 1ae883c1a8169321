import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from './context.ts';

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Gives every request an id and a logger, and logs how it ended. A well-formed `X-Request-Id` of the caller is
 * taken over; the answer carries the id in any case.
 */
export function logRequests(logger: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.logger = logger.child({ requestId });
    ctx.set('X-Request-Id', requestId);
    const startedAtMs = performance.now();
    ctx.res.once('close', () => {
      ctx.state.logger.info(
        {
          method: ctx.method,
          path: ctx.path,
          status: ctx.res.statusCode,
          durationMs: Math.round(performance.now() - startedAtMs),
          ...(ctx.state.errorCode ? { code: ctx.state.errorCode } : {}),
          ...(ctx.res.writableFinished ? {} : { cut: true }),
        },
        'request',
      );
    });
    await next();
  };
}
