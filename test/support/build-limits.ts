import type { BuildLimits } from '../../domain/builds/build-request.ts';
import type { LandingLimits } from '../../domain/landings/landing.ts';
import type { CleaningLimits } from '../../domain/landings/pool-ppa.ts';

const LONG_MS = 600_000;

/** A build workflow that polls at once and is in no danger of its deadlines. */
export const BUILD_LIMITS: BuildLimits = {
  pollInitialMs: 5,
  pollFactor: 1,
  pollMaxMs: 5,
  acceptanceMs: LONG_MS,
  dependencyWaitMs: LONG_MS,
  wholeBuildMs: LONG_MS,
  sourceCheckMs: LONG_MS,
  uploadMs: LONG_MS,
  logCollectionMs: LONG_MS,
  cancellationMs: LONG_MS,
  historyMaxEvents: 2_000,
};

/** A cleaning that asks at once, and is in no danger of its deadline. */
export const CLEANING_LIMITS: CleaningLimits = { cleanMs: LONG_MS, pollMs: 5 };

/** A landing that asks at once, and is in no danger of its deadlines. */
export const LANDING_LIMITS: LandingLimits = {
  queueMs: LONG_MS,
  leaseMs: LONG_MS,
  approvalMs: LONG_MS,
  publicationMs: LONG_MS,
  pollMs: 5,
};
