import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';

/*
 * Traces by OpenTelemetry. Where main/config/tracing.ts has not been asked for them, nothing here does anything. A part
 * of a trace is named as `traceparent` names it, since one process hands it to the next:
 * https://www.w3.org/TR/trace-context-1/
 */

/** Starts a span. @param traceparent what it is a part of; null: of nothing, it begins a trace */
export function startSpan(name: string, traceparent: string | null, options: SpanOptions): Span {
  return trace.getTracer('airline').startSpan(name, options, contextOf(traceparent));
}

/** The name of a span for those that are part of it; undefined where nobody records it. */
export function traceparentOf(span: Span): string | undefined {
  if (!span.isRecording()) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Does a piece of work as a span.
 *
 * @param traceparent what it is a part of; null: it is only done
 * @throws what the work throws, which the span keeps
 */
export async function inSpan<T>(
  name: string,
  traceparent: string | null,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (traceparent === null) return work();
  const span = startSpan(name, traceparent, options);
  try {
    return await work();
  } catch (error) {
    span.recordException(error as Error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function contextOf(traceparent: string | null): Context {
  if (traceparent === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
