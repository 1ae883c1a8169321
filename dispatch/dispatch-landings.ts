import { landingFailureOf, type LandingFailure } from '../domain/landing-failure.ts';
import type { Landing } from '../models/landing.ts';
import type { BuildWorkflows } from './build-workflows.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

/** What the dispatcher needs of Temporal for landings. */
type LandingContext = Omit<DispatchContext, 'workflows'> & {
  workflows: Pick<BuildWorkflows, 'startLanding' | 'signalDecision' | 'signalCancel' | 'status'>;
};

/** Key of the final report that is recorded in place of the workflow's. */
const FINAL_REPORT = 'final';

/**
 * Starts the workflows of accepted landings, the oldest first. One that cannot be started waits for the next round.
 *
 * @throws the last error of those that could not be started
 */
export async function startLandings(context: LandingContext, signal: AbortSignal): Promise<void> {
  const { database, workflows, logger } = context;
  let triedId = 0;
  let failed: { error: unknown } | undefined;
  const start = async (landing: Landing) => {
    triedId = landing.id;
    try {
      await workflows.startLanding({ workflowId: landing.workflowId, input: landing.toInput() });
      logger.info(
        { landingId: landing.id, workflowId: landing.workflowId },
        'landing workflow started',
      );
    } catch (error) {
      if (!(error instanceof StartRefusedError)) throw error;
      logger.error({ err: error, landingId: landing.id }, 'Temporal refuses the landing');
      refused.push([landing, error.message]);
    }
  };
  const refused: [Landing, string][] = [];
  for (let found = true; found && !signal.aborted;)
    try {
      found = await database.Landing.dispatchOldest(triedId, start);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      failed = { error };
    }
  for (const [landing, message] of refused)
    await endLanding(context, landing, internal(`Temporal refuses it: ${message}`));
  if (failed) throw failed.error;
}

/** Tells the workflows of landings what was decided of them, and that they are cancelled. */
export async function deliverToLandings(
  context: LandingContext,
  signal: AbortSignal,
): Promise<void> {
  const { database, workflows } = context;
  for (const landing of await database.Landing.withUndelivered(BATCH_SIZE)) {
    signal.throwIfAborted();
    const { workflowId, decision } = landing;
    if (decision && !landing.decisionDeliveredAt) {
      await workflows.signalDecision(workflowId, decision);
      await landing.delivered('decisionDeliveredAt');
    }
    if (!landing.cancelRequestedAt || landing.cancelDeliveredAt) continue;
    const by = landing.cancelRequestedBy ?? 'an unnamed caller';
    if ((await workflows.signalCancel(workflowId, by)) === 'ended')
      await endLanding(
        context,
        landing,
        landingFailureOf(
          'cancelled',
          landing.phase,
          `cancelled by ${by}; its workflow had ended without a result`,
        ),
      );
    await landing.delivered('cancelDeliveredAt');
  }
}

/**
 * Ends landings whose workflow ended without a result, or is unknown to Temporal.
 *
 * @param silenceMs Temporal is asked after a landing that was silent for so long
 */
export async function sweepLandings(
  context: LandingContext,
  silenceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { database, workflows } = context;
  const since = new Date(Date.now() - silenceMs);
  for (const landing of await database.Landing.silentSince(since, BATCH_SIZE)) {
    signal.throwIfAborted();
    const status = await workflows.status(landing.workflowId);
    if (status === 'running') await landing.heard();
    else
      await endLanding(
        context,
        landing,
        internal(
          `its workflow ${status === 'ended' ? 'has ended without a result' : 'is unknown to Temporal'}`,
        ),
      );
  }
}

function internal(message: string): LandingFailure {
  return landingFailureOf('internal', 'queued', message);
}

/** Ends a landing in place of its workflow, unless it has ended. */
async function endLanding(
  { database, logger }: LandingContext,
  landing: Landing,
  failure: LandingFailure,
): Promise<void> {
  const recorded = await database.LandingEvent.record({
    landingId: landing.id,
    attempt: landing.attempt,
    key: FINAL_REPORT,
    phase: failure.class === 'cancelled' ? 'cancelled' : 'failed',
    failure: { ...failure, phase: landing.phase },
  });
  if (recorded) logger.error({ landingId: landing.id, failure }, 'landing ended by the dispatcher');
}
