import type { Router } from '@koa/router';
import type { Database } from '../models/database.ts';
import { answerJson, type RequestState } from './context.ts';

/** A task queue of the workers, for one kind of tasks. */
export type WorkerQueue = {
  name: string;
  kind: 'workflow' | 'activity';
  pollers: { identity: string; last_access_at: string | null }[];
  backlog: number;
  /** Whether tasks wait, or were handed to workers lately. */
  busy: boolean;
};

/** Looks at a part that the API depends on; throws where it does not answer. */
type Probe = () => Promise<void>;
export type Probes = Readonly<Record<'database' | 'temporal' | 'broker', Probe>>;

type Health = { healthy: boolean; latency_ms: number; error?: string };

/** Serves the state of the service: for debugging and monitoring, and for whoever starts and routes to it. */
export function routeStatus(routes: {
  router: Router<RequestState>;
  database: Database;
  probes: Probes;
  probeTimeoutMs: number;
  describeQueues: () => Promise<WorkerQueue[]>;
}): void {
  const { router, database, probeTimeoutMs } = routes;
  const within = <T>(work: Promise<T>) => withDeadline(work, probeTimeoutMs);

  async function health(): Promise<Record<keyof Probes, Health>> {
    const entries = Object.entries(routes.probes).map(async ([name, probe]) => [
      name,
      await examine(() => within(probe())),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<keyof Probes, Health>;
  }

  router.get('/healthz', (ctx) => answerJson(ctx, 200, { healthy: true }));

  router.get('/readyz', async (ctx) => {
    const parts = await health();
    const ready = Object.values(parts).every(({ healthy }) => healthy);
    answerJson(ctx, ready ? 200 : 503, { ready, health: parts });
  });

  router.get('/api/v1/status', async (ctx) => {
    const [parts, queues, rows] = await Promise.all([
      health(),
      orError(() => within(routes.describeQueues())),
      orError(() => within(readRows())),
    ]);
    answerJson(ctx, 200, {
      worker_queues: queues.value ?? null,
      ...(queues.error ? { worker_queues_error: queues.error } : {}),
      ...(rows.value ?? { builds: null, dispatch: null, unpublished_events: null }),
      health: parts,
    });
  });

  async function readRows() {
    const [builds, backlog, unpublished] = await Promise.all([
      database.Build.countByState(),
      database.Build.backlog(),
      database.ProgressEvent.unpublished(),
    ]);
    const oldestAgeMs = backlog.oldestAt ? Date.now() - backlog.oldestAt.getTime() : null;
    return {
      builds,
      dispatch: { backlog: backlog.count, oldest_age_ms: oldestAgeMs },
      unpublished_events: unpublished,
    };
  }
}

async function examine(probe: Probe): Promise<Health> {
  const startedAtMs = performance.now();
  const { error } = await orError(probe);
  const latency = Math.round(performance.now() - startedAtMs);
  return { healthy: error === undefined, latency_ms: latency, ...(error ? { error } : {}) };
}

async function orError<T>(work: () => Promise<T>): Promise<{ value?: T; error?: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: error instanceof Error ? error.message || error.name : String(error) };
  }
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
