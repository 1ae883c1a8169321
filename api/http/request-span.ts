import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { startSpan, traceparentOf } from '../../timing/spans.ts';
import type { ApiContext } from './context.ts';
import { SAFE_METHODS } from './safe-methods.ts';

/** The span of a request, where traces are recorded. */
export type RequestSpan = {
  readonly traceId: string;
  /** Names it to what the request begins. */
  readonly traceparent: string;
  end(): void;
};

type Request = Pick<ApiContext, 'method' | 'path' | 'res' | 'state'>;

/**
 * Starts the span of a request that may begin something; what only reads has none.
 *
 * @param caller the caller's `traceparent`
 */
export function startRequestSpan(
  ctx: Request,
  caller: string | undefined,
): RequestSpan | undefined {
  if (SAFE_METHODS.includes(ctx.method)) return undefined;
  const span = startSpan(ctx.method, caller ?? null, { kind: SpanKind.SERVER });
  const traceparent = traceparentOf(span);
  if (traceparent === undefined) return undefined;
  return {
    traceId: span.spanContext().traceId,
    traceparent,
    end() {
      const { operation, requestId } = ctx.state;
      const { statusCode } = ctx.res;
      if (operation) span.updateName(`${ctx.method} ${operation.path}`);
      span.setAttributes({
        'http.request.method': ctx.method,
        'http.route': operation?.path,
        'http.response.status_code': statusCode,
        'airline.request_id': requestId,
      });
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
