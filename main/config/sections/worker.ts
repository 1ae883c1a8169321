import { z } from 'zod';
import { count, milliseconds, optional, section, text } from '../setting.ts';
import { LISTEN_ADDRESS } from '../listen-address.ts';

/** Temporal joins the two by a dot, or a colon. */
const VERSION_NAME = z.string().regex(/^[\w+-][\w.+-]{0,127}$/, 'is no name of a version');

export const worker = section('The worker', {
  workflowBundle: text(
    'path',
    'AIRLINE_WORKFLOW_BUNDLE',
    'dist/workflows.js',
    'Bundle of the workflow code, made by `npm run build`.',
  ),
  /** As Temporal names them. */
  worker: {
    maxConcurrentActivityTaskExecutions: count(
      'AIRLINE_WORKER_ACTIVITIES',
      50,
      'Activities that a worker runs at once, but for transfers and logs: polls of the PPA, cancellations and the like.',
    ),
    maxCachedWorkflows: count(
      'AIRLINE_WORKER_CACHED_WORKFLOWS',
      500,
      'Workflows that a worker keeps in memory between their tasks.',
    ),
    shutdownGraceTime: milliseconds(
      'AIRLINE_SHUTDOWN_GRACE_MS',
      30_000,
      'Time for running activities when a worker is told to stop.',
    ),
  },
  /** As Temporal names it; each on a queue of its own. */
  transfers: {
    maxConcurrentActivityTaskExecutions: count(
      'AIRLINE_WORKER_TRANSFERS',
      30,
      'Checks and uploads of sources that a worker runs at once.',
    ),
  },
  logCollections: {
    maxConcurrentActivityTaskExecutions: count(
      'AIRLINE_WORKER_LOGS',
      20,
      'Collections of logs that a worker runs at once.',
    ),
  },
  versioning: {
    deploymentName: optional(
      'name',
      'AIRLINE_WORKER_DEPLOYMENT',
      "Name of the workers' deployment in Temporal: each version then takes the builds that are its own. Unset: every worker takes every build.",
      VERSION_NAME,
    ),
    buildId: optional(
      'name',
      'AIRLINE_WORKER_BUILD_ID',
      'Version of this worker in that deployment, such as the tag of its image. Each set of workflow code has its own.',
      VERSION_NAME,
    ),
  },
  probes: {
    worker: optional(
      'address',
      'AIRLINE_WORKER_PROBE_ADDRESS',
      'Where a worker serves /healthz, /readyz and /metrics: host:port, or the path of a socket. Nothing asks who calls. Unset: nowhere.',
      LISTEN_ADDRESS,
    ),
  },
  publisher: {
    intervalMs: milliseconds(
      'AIRLINE_PUBLISH_INTERVAL_MS',
      1_000,
      'Interval at which an api or a worker looks for progress events that are not published yet.',
    ),
  },
});
