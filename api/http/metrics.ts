import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Database } from '../../models/database.ts';
import type { RequestState } from './context.ts';
import { withDeadline } from '../../timing/deadline.ts';
import { connectionGauge, gaugeOf } from './process-gauges.ts';
import { createRowGauges } from './row-gauges.ts';

// Around the goals of docs/performance.md; every bucket is a series for each operation and status.
const DURATION_BUCKETS_S = [0.005, 0.02, 0.05, 0.25, 1, 5];
/** Of requests that no operation took: a path of theirs would be a series for everything that anybody tries. */
const UNROUTED = { method: 'none', route: 'none' };

export type Metrics = {
  /** Counts and times requests. It goes outside of whatever answers errors. */
  readonly middleware: Middleware<RequestState>;
  /** What was counted, in the text format of Prometheus. */
  readonly read: () => Promise<{ readonly text: string; readonly mediaType: string }>;
};

/**
 * Measures the API for Prometheus. Everything belongs to the registry of this call; what Node reports of the process is
 * in it only where asked for, because it cannot be switched off again.
 *
 * @param options.rowsTimeoutMs time for the counts that come from the database; without them the rest is served
 * @param options.eventStreams how many streams of events are open now
 * @param options.ofProcess with memory, processor time, event loop and garbage collection of the process
 */
export function createMetrics(options: {
  database: Database;
  rowsTimeoutMs: number;
  eventStreams: () => number;
  logger: Logger;
  ofProcess?: boolean;
}): Metrics {
  const { database, rowsTimeoutMs, eventStreams, logger } = options;
  const registry = new Registry();
  if (options.ofProcess) collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'airline_http_request_duration_seconds',
    help: 'Time from a request to its answer, by the method and path of its operation.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  let inFlight = 0;
  for (const gauge of [
    gaugeOf('airline_http_requests_in_flight', 'Requests without an answer yet.', () => inFlight),
    gaugeOf('airline_event_streams', 'Streams of events that are open.', eventStreams),
    connectionGauge(database),
  ])
    registry.registerMetric(gauge);
  const rows = createRowGauges(registry, database);
  let reading: Promise<void> | undefined;

  /** One reading at a time, however many scrape. */
  async function readRows(): Promise<void> {
    reading ??= rows.read().finally(() => (reading = undefined));
    try {
      await withDeadline(reading, rowsTimeoutMs);
    } catch (error) {
      rows.forget();
      logger.warn({ err: error }, 'metrics without the counts from the database');
    }
  }

  return {
    async middleware(ctx, next) {
      const startedAtMs = performance.now();
      inFlight += 1;
      try {
        await next();
      } finally {
        inFlight -= 1;
        const { operation } = ctx.state;
        const labels = operation
          ? { method: operation.method.toUpperCase(), route: operation.path, status: ctx.status }
          : { ...UNROUTED, status: ctx.status };
        durations.observe(labels, (performance.now() - startedAtMs) / 1_000);
      }
    },
    async read() {
      await readRows();
      return { text: await registry.metrics(), mediaType: registry.contentType };
    },
  };
}
