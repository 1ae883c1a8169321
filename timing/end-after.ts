/** An end that is set to work, whatever that waits for. */
type End = {
  /** Aborts then. */
  signal: AbortSignal;
  /** Does work, which goes on after the end; what comes of it then is dropped. @throws the signal's reason then */
  before<T>(work: () => Promise<T>): Promise<T>;
};

/** Sets an end to come after so many milliseconds. */
export function endAfter(ms: number): End {
  const signal = AbortSignal.timeout(Math.ceil(ms));
  const end = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error)),
  );
  // It may come while nothing waits for it.
  end.catch(() => undefined);
  return {
    signal,
    async before(work) {
      signal.throwIfAborted();
      return Promise.race([work(), end]);
    },
  };
}
