import { count, milliseconds, section, text } from '../setting.ts';

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
      'Activities that a worker runs at once.',
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
  publisher: {
    intervalMs: milliseconds(
      'AIRLINE_PUBLISH_INTERVAL_MS',
      1_000,
      'Interval at which the worker looks for progress events that are not published yet.',
    ),
  },
});
