import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { asyncLocalStorage } from '@temporalio/activity';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createLogger } from './logging.ts';
import { onStopSignal } from './stop-signals.ts';
import { ConfigError, type Config } from './config.ts';
import { VERSION } from './version.ts';

/** A cancelled activity has this long to end before the process goes without it. */
const CANCELLED_WITHIN_MS = 5_000;

/** The logger of a process that runs activities: each line names the one that it is about. */
export function createWorkerLogger(name: string, config: Config): Logger {
  return createLogger({
    name,
    ...config.log,
    context: () => {
      const info = asyncLocalStorage.getStore()?.info;
      return info
        ? { workflowId: info.workflowExecution?.workflowId, activity: info.activityType }
        : {};
    },
  });
}

/**
 * The name that a process gives itself where Temporal lists pollers. In containers, process ids and even host names
 * repeat: the random part does not.
 */
export function workerIdentity(): string {
  return `${process.pid}@${hostname()}-${randomBytes(4).toString('hex')}`;
}

/**
 * Has Temporal show which version of Airline a worker is. It decides nothing. Not by `workerDeploymentOptions`: without
 * versions, Temporal refuses what workflows answer that are marked as pinned.
 */
export const REPORTED_VERSION: Pick<WorkerOptions, 'buildId'> = { buildId: VERSION };

/**
 * The version of the workflow code that a worker has, where the configuration names one; docs/decisions/0030 says how
 * workflows stay with theirs.
 *
 * @throws ConfigError where one of the two settings is missing
 */
export function workerVersion({
  versioning: { deploymentName, buildId },
}: Config): Pick<WorkerOptions, 'workerDeploymentOptions' | 'buildId'> {
  if (!deploymentName !== !buildId)
    throw new ConfigError(
      'AIRLINE_WORKER_DEPLOYMENT and AIRLINE_WORKER_BUILD_ID belong together: set both or neither.',
    );
  if (!deploymentName || !buildId) return REPORTED_VERSION;
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      // What must not move says so itself: see workflows/index.ts.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** How a worker stops: running activities have the grace time; then they are cancelled, and tried again elsewhere. */
export function stopLimits({ worker: { shutdownGraceTime } }: Config) {
  return {
    shutdownGraceTime,
    // Even an activity that heeds no cancellation does not keep the process.
    shutdownForceTime: shutdownGraceTime + CANCELLED_WITHIN_MS,
    // A cancellation reaches an activity with the answer to its heartbeat.
    maxHeartbeatThrottleInterval: 2_000,
  };
}

/**
 * Runs the workers of a process until it is told to stop, or one of them fails.
 *
 * @returns whether one failed; the log says why
 */
export async function runUntilStopped(
  workers: readonly Worker[],
  logger: Logger,
): Promise<boolean> {
  const stop = () => {
    const running = workers.filter((worker) => worker.getState() === 'RUNNING');
    for (const worker of running) worker.shutdown();
    return running.length > 0;
  };
  onStopSignal(async (signal) => {
    if (stop()) logger.info({ signal }, 'stopping');
  });
  let hasFailed = false;
  await Promise.all(
    workers.map((worker) =>
      worker.run().catch((error: unknown) => {
        logger.fatal({ err: error, taskQueue: worker.options.taskQueue }, 'the worker failed');
        hasFailed = true;
        stop();
      }),
    ),
  );
  return hasFailed;
}
