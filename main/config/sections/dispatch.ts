import { milliseconds, section } from '../setting.ts';

export const dispatch = section('From the API to Temporal', {
  dispatcher: {
    intervalMs: milliseconds(
      'AIRLINE_DISPATCH_INTERVAL_MS',
      1_000,
      'Interval at which accepted builds are looked for that have no workflow yet.',
    ),
    maxBackoffMs: milliseconds(
      'AIRLINE_DISPATCH_BACKOFF_MS',
      30_000,
      'Longest wait between tries to start workflows while Temporal is down.',
    ),
    sweepIntervalMs: milliseconds(
      'AIRLINE_SWEEP_INTERVAL_MS',
      60_000,
      'Interval at which workflows are looked for that ended without a final message.',
    ),
    startMs: milliseconds(
      'AIRLINE_START_MS',
      24 * 3_600_000,
      'Time for an accepted build to get its workflow; after it, as when Temporal stays away, it has timed out.',
    ),
    silenceMs: milliseconds(
      'AIRLINE_SILENCE_MS',
      15 * 60_000,
      'Temporal is asked after the workflow of a build that has reported nothing for so long.',
    ),
  },
  temporal: {
    rpcTimeoutMs: milliseconds(
      'AIRLINE_TEMPORAL_TIMEOUT_MS',
      5_000,
      "Time for one answer of Temporal's frontend.",
    ),
  },
});
