/**
 * Does work that has a time, and that something else may end before: what it is given aborts at whichever comes first.
 *
 * `AbortSignal.any` of a signal and an `AbortSignal.timeout` that nobody else has is no time limit: it does not keep
 * the timeout from the garbage collector, and never aborts once that is collected (nodejs/node#57867,
 * nodejs/node#65995).
 *
 * @param options.ms time for the work, at most 24 days
 * @param options.signal ends it, too: its reason becomes that of the limit
 * @param options.reason the limit's once the time is over; a TimeoutError, as that of `AbortSignal.timeout`, by default
 * @returns what the work does
 * @throws what the work throws
 */
export async function withTimeLimit<T>(
  { ms, signal, reason = timeoutError }: { ms: number; signal: AbortSignal; reason?: () => Error },
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(reason()), ms);
  const end = () => limit.abort(signal.reason);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
  }
}

function timeoutError(): Error {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}
