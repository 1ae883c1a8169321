import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { BuildLimits } from '../domain/builds/build-request.ts';
import type { LandingInput, LandingLimits } from '../domain/landings/landing.ts';
import { landingTimeoutMs } from '../domain/landings/landing-timeout.ts';
import type { LandTicketWorkflow } from '../workflows/index.ts';
import { landingLabels } from './landing-labels.ts';
import { asStartError } from './temporal-errors.ts';

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
  client: Client,
  options: {
    taskQueue: string;
    limits: BuildLimits;
    landingLimits: LandingLimits;
    rpcTimeoutMs: number;
  },
  { workflowId, input }: LandingToStart,
): Promise<void> {
  const { limits: buildLimits, landingLimits: limits, taskQueue, rpcTimeoutMs } = options;
  try {
    await client.connection.withDeadline(Date.now() + rpcTimeoutMs, () =>
      client.workflow.start<typeof LandTicketWorkflow>('LandTicketWorkflow', {
        taskQueue,
        workflowId,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: landingTimeoutMs(input, limits, buildLimits),
        args: [{ ...input, limits, buildLimits }],
        ...landingLabels(input),
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asStartError(error);
  }
}
