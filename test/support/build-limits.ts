import type { BuildLimits } from '../../domain/build-request.ts';

const MINUTE_MS = 60_000;

/** A build workflow that polls at once and is in no danger of its deadlines. */
export const BUILD_LIMITS: BuildLimits = {
  pollInitialMs: 5,
  pollFactor: 1,
  pollMaxMs: 5,
  progressIntervalMs: MINUTE_MS,
  acceptanceMs: MINUTE_MS,
  dependencyWaitMs: MINUTE_MS,
  wholeBuildMs: MINUTE_MS,
  sourceCheckMs: MINUTE_MS,
  uploadMs: MINUTE_MS,
  logCollectionMs: MINUTE_MS,
  cancellationMs: MINUTE_MS,
  historyMaxEvents: 2_000,
};
