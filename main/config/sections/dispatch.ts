import { count, milliseconds, section, UP_TO_A_MONTH } from '../setting.ts';

export const dispatch = section('From the API to Temporal', {
  dispatcher: {
    intervalMs: milliseconds(
      'AIRLINE_DISPATCH_INTERVAL_MS',
      1_000,
      'Interval at which the dispatcher looks for what Temporal has to be told: builds and landings without a workflow, cancellations, decisions, PPAs of the pool to clean.',
    ),
    maxBackoffMs: milliseconds(
      'AIRLINE_DISPATCH_BACKOFF_MS',
      30_000,
      'Longest wait between tries to start workflows while Temporal is down.',
    ),
    sweepIntervalMs: milliseconds(
      'AIRLINE_SWEEP_INTERVAL_MS',
      60_000,
      'Interval at which the dispatcher looks for workflows that ended without a final message, asks after those that have been silent (AIRLINE_SILENCE_MS), and looks for PPAs that nobody polls.',
    ),
    startMs: milliseconds(
      'AIRLINE_START_MS',
      24 * 3_600_000,
      'Time for an accepted build or landing to get its workflow. After that it has failed, for instance because Temporal stays down, or, of a build, because no worker takes any.',
      UP_TO_A_MONTH,
    ),
    maxUntaken: count(
      'AIRLINE_MAX_UNTAKEN',
      100,
      'Builds that may wait in Temporal for a worker at once. Further ones wait in the database, so that builds under way need not wait behind them.',
    ),
    silenceMs: milliseconds(
      'AIRLINE_SILENCE_MS',
      15 * 60_000,
      'When a build, a landing or the cleaning of a PPA reports nothing for this long, Temporal is asked what became of its workflow.',
      UP_TO_A_MONTH,
    ),
  },
  temporal: {
    uploadCheckMs: milliseconds(
      'AIRLINE_UPLOAD_CHECK_MS',
      20_000,
      'Time for a worker to ask the PPA about an upload before it is stored. `airline submit` waits 30 s.',
    ),
    rpcTimeoutMs: milliseconds(
      'AIRLINE_TEMPORAL_TIMEOUT_MS',
      5_000,
      "Time for one answer of Temporal's frontend.",
    ),
  },
});
