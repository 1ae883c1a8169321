import type { BuildLimits } from '../domain/builds/build-request.ts';
import type { LandingInput, LandingLimits } from '../domain/landings/landing.ts';
import { landingTimeoutMs } from '../domain/landings/landing-timeout.ts';
import type { LandTicketWorkflow } from '../workflows/index.ts';
import { landingLabels } from './landing-labels.ts';
import type { StartOnce } from './start-once.ts';

/** A landing as its row gives it. */
export type LandingToStart = {
  workflowId: string;
  input: Omit<LandingInput, 'limits' | 'buildLimits'>;
};

/**
 * Starts the workflow of a landing. Safe to repeat.
 *
 * @throws StartRefusedError; any other error means that a later try may succeed
 */
export async function startLanding(
  startOnce: StartOnce,
  options: { taskQueue: string; limits: BuildLimits; landingLimits: LandingLimits },
  { workflowId, input }: LandingToStart,
): Promise<void> {
  const { limits: buildLimits, landingLimits: limits, taskQueue } = options;
  await startOnce<typeof LandTicketWorkflow>('LandTicketWorkflow', {
    taskQueue,
    workflowId,
    workflowExecutionTimeout: landingTimeoutMs(input, limits, buildLimits),
    args: [{ ...input, limits, buildLimits }],
    ...landingLabels(input),
  });
}
