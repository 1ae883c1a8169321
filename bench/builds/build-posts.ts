import autocannon from 'autocannon';

const LIMIT_S = 600;

/**
 * POSTs a request so many times, over so many connections with one request after the other on each.
 *
 * @returns the time of each, and of all
 * @throws Error at another answer than 202, at a broken connection, and the signal's reason
 */
export async function postBuilds(options: {
  api: string;
  body: object;
  count: number;
  connections: number;
  signal: AbortSignal;
}): Promise<{ tookMs: number; latenciesMs: number[] }> {
  const { api, body, count, connections, signal } = options;
  const latenciesMs: number[] = [];
  let failure: Error | undefined;
  const startedAtMs = performance.now();
  await new Promise<void>((resolve) => {
    const running = autocannon(
      {
        url: `${api}/api/v1/build_source`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        connections,
        amount: count,
        // Ended by the amount; this is the deadline.
        duration: LIMIT_S,
      },
      () => resolve(),
    );
    const fail = (problem: Error) => {
      failure ??= problem;
      running.stop();
    };
    signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
    running.on('response', (_client, status, _bytes, latencyMs) => {
      if (status === 202) latenciesMs.push(latencyMs);
      else fail(new Error(`POST build_source was answered ${status}`));
    });
    running.on('reqError', (error: unknown) => fail(new Error(`POST: ${String(error)}`)));
  });
  if (failure) throw failure;
  if (latenciesMs.length !== count)
    throw new Error(`${latenciesMs.length} of ${count} POSTs were answered.`);
  return { tookMs: performance.now() - startedAtMs, latenciesMs };
}
