import type { Logger } from 'pino';
import type { Probe } from '../../api/dependencies.ts';
import { createHealthCheck, withoutErrors } from '../../api/service/check-health.ts';
import type { Database } from '../../models/database.ts';
import { installMeasuredRuntime, installRuntime } from '../config/worker-runtime.ts';
import { startProbeServer, type Answer } from './probe-server.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** What a process of Temporal workers depends on once it has connected. */
type Polling = {
  readonly connection: {
    withDeadline<T>(deadlineMs: number, call: () => Promise<T>): Promise<T>;
    readonly workflowService: { getSystemInfo(request: object): Promise<unknown> };
  };
  readonly workers: readonly {
    getState(): string;
    readonly options: { readonly taskQueue: string };
  }[];
};

/** The health of a process of Temporal workers, for those who ask. */
export type WorkerProbes = {
  /** Says what it polls with: before, the process is alive and not ready. */
  attach(polling: Polling): void;
  close(): Promise<void>;
};

/**
 * Sets up what all Temporal workers of a process share, before the first of them, and serves its health and figures.
 *
 * @param options.address where; undefined: nowhere, and the SDK measures nothing
 * @param options.ownParts as of `serveProbes`
 */
export async function startWorkerProbes(options: {
  address: string | undefined;
  database: Database;
  ownParts?: Readonly<Record<string, Probe>>;
  timeoutMs: number;
  logger: Logger;
}): Promise<WorkerProbes> {
  const { address, database, logger } = options;
  if (address === undefined) {
    installRuntime(logger);
    return { attach: () => {}, close: async () => {} };
  }
  const metrics = createWorkerMetrics(database, await installMeasuredRuntime(logger));
  return serveProbes({ ...options, address, readMetrics: metrics.read });
}

/**
 * Serves what others ask a process of Temporal workers:
 *
 * - `/healthz`: the process answers. One that is frozen, or has its event loop blocked, does not.
 * - `/readyz`: Temporal and the database answer, every worker of the process runs, and its own parts are well; else
 *   503. What it says may be two seconds old.
 * - `/metrics`: its figures, for Prometheus.
 *
 * @param options.ownParts what this process depends on besides
 * @param options.timeoutMs time for a part to answer
 */
export async function serveProbes(options: {
  address: string;
  database: { readonly sequelize: { query(sql: string): Promise<unknown> } };
  ownParts?: Readonly<Record<string, Probe>>;
  timeoutMs: number;
  readMetrics: () => Promise<{ body: string; mediaType: string }>;
  logger: Logger;
}): Promise<WorkerProbes> {
  const { address, database, ownParts, timeoutMs, readMetrics, logger } = options;
  let polling: Polling | undefined;
  let wasReady: boolean | undefined;

  const checkHealth = createHealthCheck<string>(
    {
      ...ownParts,
      database: async () => void (await database.sequelize.query('SELECT 1')),
      temporal: async () => {
        const { connection } = required(polling);
        const deadlineMs = Date.now() + timeoutMs;
        await connection.withDeadline(deadlineMs, () =>
          connection.workflowService.getSystemInfo({}),
        );
      },
      polling: async () => {
        for (const worker of required(polling).workers)
          if (worker.getState() !== 'RUNNING')
            throw new Error(`the worker of ${worker.options.taskQueue} is ${worker.getState()}`);
      },
    },
    timeoutMs,
  );

  async function answerReady(): Promise<Answer> {
    const health = await checkHealth();
    const ready = Object.values(health).every(({ healthy }) => healthy);
    // What went wrong is in the log alone.
    if (ready !== wasReady)
      logger[ready ? 'info' : 'warn']({ health }, ready ? 'ready' : 'not ready');
    wasReady = ready;
    return json(ready ? 200 : 503, { ready, health: withoutErrors(health) });
  }

  const server = await startProbeServer(address, {
    '/healthz': async () => json(200, { healthy: true }),
    '/readyz': answerReady,
    '/metrics': async () => ({ status: 200, ...(await readMetrics()) }),
  });
  logger.info({ address: server.address }, 'health and metrics are served');
  return {
    attach(to) {
      polling = to;
    },
    close: () => server.close(),
  };
}

function required(polling: Polling | undefined): Polling {
  if (!polling) throw new Error('the process is starting');
  return polling;
}

function json(status: number, body: unknown): Answer {
  return { status, mediaType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}
