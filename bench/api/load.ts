import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { CONNECTIONS, type Operation } from './operations.ts';
import { spreadOf } from '../statistics.ts';
import { RATE, type Sample } from '../rounds.ts';
import type { TicketIds } from './seed.ts';
import type { ServerProcess } from './server-process.ts';

const SAMPLE_MS = 100;

/**
 * Loads servers, as one, by 20 connections, each with one request after the other, and counts what is answered in a
 * window.
 *
 * @param times.leadInMs before the window: connections are made and statements prepared
 * @returns the sample, and the number of all requests that were answered; CPU is that of the servers' processes for a
 * request, without the database's
 * @throws Error at an answer other than the operation's, at a broken connection, and the signal's reason
 */
export async function load(
  servers: readonly ServerProcess[],
  operation: Operation,
  ids: TicketIds,
  times: { leadInMs: number; windowMs: number },
  signal: AbortSignal,
): Promise<{ sample: Sample; answered: number }> {
  let sample: Sample;
  const name = `${servers.map((server) => server.name).join(' and ')}, ${operation.name}`;
  const serversCpuMs = () => servers.reduce((sum, server) => sum + server.cpuMs(), 0);
  const { windowMs, leadInMs } = times;
  let connection = 0;
  let answered = 0;
  let isWindow = false;
  let failure: Error | undefined;
  const latenciesMs: number[] = [];
  const failed = new AbortController();
  const fail = (problem: string) => {
    failure ??= new Error(`${name}: ${problem}`);
    failed.abort();
  };

  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const running = autocannon(
    {
      // Connections take turns among several addresses, of which the package's types know nothing.
      url: servers.map(({ url }) => url) as never,
      connections: CONNECTIONS,
      // Ended by us; this is the deadline.
      duration: Math.ceil((leadInMs + windowMs) / 1_000) + 60,
      sampleInt: SAMPLE_MS,
      setupClient: (client) =>
        client.setRequests(operation.requests(ids, connection++, CONNECTIONS)),
    },
    () => end(),
  );
  running.on('response', (_client, status, _bytes, latencyMs) => {
    if (status !== operation.status) return fail(`was answered ${status}`);
    answered++;
    if (isWindow) latenciesMs.push(latencyMs);
  });
  running.on('reqError', (error: unknown) => fail(String(error)));
  for (const server of servers) void server.exited.then((exit) => fail(`the server ${exit}`));
  try {
    const either = AbortSignal.any([signal, failed.signal]);
    await sleep(leadInMs, undefined, { signal: either });
    const startedAtMs = performance.now();
    const cpuBeforeMs = serversCpuMs();
    isWindow = true;
    await sleep(windowMs, undefined, { signal: either });
    isWindow = false;
    const tookMs = performance.now() - startedAtMs;
    const serverCpuMs = serversCpuMs() - cpuBeforeMs;
    const count = latenciesMs.length;
    if (count === 0) throw new Error(`${name}: nothing was answered`);
    const { p50Ms, p99Ms } = spreadOf(latenciesMs);
    sample = {
      [RATE]: (count / tookMs) * 1_000,
      'p50, ms': p50Ms,
      'p99, ms': p99Ms,
      'CPU, µs': (serverCpuMs / count) * 1_000,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw failure ?? error;
  } finally {
    running.stop();
    await ended;
  }
  return { sample, answered };
}
