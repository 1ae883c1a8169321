import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from './context.ts';
import { startRequestSpan } from './request-span.ts';
import { traceContext } from './trace-context.ts';

// Of a header that comes more than once, Node joins the values of all but a few.
type Headers = Readonly<Record<string, string | undefined>>;

/** The most of a path that is logged. */
const MAX_PATH = 1_024;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Gives every request an id, a trace and a logger, and logs how it ended. A well-formed `X-Request-Id` of the caller
 * is taken over, and a valid `traceparent` continued; the answer carries both in any case.
 */
export function logRequests(logger: Logger): Middleware<RequestState> {
  // The line of a request holds no field that could be secret, and looking for one is a good part of its cost.
  const plain = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    const own = traceContext(ctx.headers as Headers);
    const { tracestate } = own;
    const span = startRequestSpan(ctx, own.caller);
    const { traceId, traceparent } = span ?? own;
    ctx.state.requestId = requestId;
    ctx.state.traceId = traceId;
    ctx.state.traceparent = span?.traceparent ?? null;
    let child: Logger | undefined;
    ctx.state.logger = () => (child ??= logger.child({ requestId, traceId }));
    ctx.res.setHeader('X-Request-Id', requestId);
    ctx.res.setHeader('traceparent', traceparent);
    if (tracestate !== undefined) ctx.res.setHeader('tracestate', tracestate);
    const startedAtMs = performance.now();
    ctx.res.once('close', () => {
      span?.end();
      plain.info(
        {
          requestId,
          traceId,
          method: ctx.method,
          path: ctx.path.length > MAX_PATH ? `${ctx.path.slice(0, MAX_PATH)}…` : ctx.path,
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
