import type { BuildLimits } from '../builds/build-request.ts';
import { DATABASE_AWAY_MS, executionTimeoutMs } from '../builds/build-workflow.ts';
import type { LandingInput, LandingLimits } from './landing.ts';

// The workflow keeps to its own limits; Temporal ends one that cannot.
const MARGIN_MS = 86_400_000;
/** In the line of its target, and for a PPA. */
const PAUSES_IN_LINE = 2;
/** The first, and the one that is made once on new base images. */
const ROUNDS = 2;
/** Before its images, its tests, its approval, and its publication. */
const PAUSES_OF_A_ROUND = 4;

/**
 * The time after which Temporal ends the workflow of a landing, whatever it does. There is room for one pause before
 * each step, as long as a pause may be: its waits in line, the builds of each package, and each round of tests. There
 * is room for a database that is away as it reports its end, too.
 */
export function landingTimeoutMs(
  { packages, policy }: Pick<LandingInput, 'packages' | 'policy'>,
  limits: LandingLimits,
  buildLimits: BuildLimits,
): number {
  const { queueMs, leaseMs = 0, testsMs = 0, approvalMs, publicationMs } = limits;
  const rounds = ROUNDS + (policy?.staleTries ?? 0);
  const lineMs = queueMs + leaseMs + PAUSES_IN_LINE * approvalMs;
  const buildsMs = packages.length * (approvalMs + executionTimeoutMs(buildLimits));
  const roundMs = testsMs + approvalMs + PAUSES_OF_A_ROUND * approvalMs;
  const workMs = lineMs + buildsMs + rounds * roundMs + publicationMs;
  return workMs + DATABASE_AWAY_MS + MARGIN_MS;
}
