import { randomUUID } from 'node:crypto';

const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<parentId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const ALL_ZERO = /^0+$/;
const SAMPLED = 1;
const TRACESTATE = /^[\x20-\x7e\t]{1,512}$/;

export type TraceContext = {
  readonly traceId: string;
  /** For the answer: the trace, with the request as its latest part. */
  readonly traceparent: string;
  /** The caller's, where it is valid: what the request is a part of. */
  readonly caller?: string;
  /** What others have noted of the trace, as it came. */
  readonly tracestate?: string;
};

/**
 * The trace that a request is a part of: the caller's, or a new one where the headers name none.
 * https://www.w3.org/TR/trace-context-1/
 */
export function traceContext(headers: {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}): TraceContext {
  const caller = headers.traceparent === undefined ? undefined : readCaller(headers.traceparent);
  // Of all random numbers that Node gives, these cost least.
  const traceId = caller?.traceId ?? randomUUID().replaceAll('-', '');
  const span = randomUUID();
  const spanId = span.slice(19, 23) + span.slice(24);
  const { tracestate } = headers;
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${caller?.isSampled ? '01' : '00'}`,
    ...(caller ? { caller: caller.traceparent } : {}),
    ...(caller && tracestate !== undefined && TRACESTATE.test(tracestate) ? { tracestate } : {}),
  };
}

function readCaller(
  header: string,
): { traceId: string; traceparent: string; isSampled: boolean } | undefined {
  const { version, traceId, parentId, flags, more } = TRACEPARENT.exec(header)?.groups ?? {};
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined;
  // Later versions may say more; the first says exactly this.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return undefined;
  // Whatever its version, it begins like the first.
  const traceparent = `00-${traceId}-${parentId}-${flags}`;
  return { traceId, traceparent, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}
