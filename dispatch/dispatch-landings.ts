import { landingFailureOf, type LandingFailure } from '../domain/landings/landing-failure.ts';
import { durationText } from '../domain/text/quantity-text.ts';
import type { Landing } from '../models/landings/landing.ts';
import type { TemporalWorkflows } from './temporal-workflows.ts';
import { forEachRow } from './row-faults.ts';
import { askAfterWorkflow } from './ask-after-workflow.ts';
import { cancellerOf } from './canceller.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { lostLanding } from './lost-result.ts';
import { nextTry, type RetryWaits } from './next-try.ts';
import { tellEach } from './tell-each.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

/** What the dispatcher needs of Temporal for landings. */
type LandingContext = Omit<DispatchContext, 'workflows'> & {
  workflows: Pick<
    TemporalWorkflows,
    'startLanding' | 'signalDecision' | 'signalWake' | 'signalCancel' | 'status'
  >;
};

/** The context of what is tried again for each landing by itself. */
type RetryContext = LandingContext & { retry: RetryWaits };

/** Key of the final report that is recorded in place of the workflow's. */
const FINAL_REPORT = 'final';

/**
 * Starts the workflows of accepted landings, the oldest first. One that cannot be started is tried again by itself,
 * after a wait of its own.
 *
 * @throws what says that Temporal or the database is unavailable
 */
export async function startLandings(context: RetryContext, signal: AbortSignal): Promise<void> {
  const { database, workflows, logger } = context;
  const waiting = await database.Landing.undispatched(BATCH_SIZE);
  await forEachRow('landing', waiting, signal, async (landing) => {
    const { id: landingId } = landing;
    try {
      await landing.dispatch(async (current) => {
        const { workflowId } = current;
        try {
          await workflows.startLanding({ workflowId, input: current.toInput() });
        } catch (error) {
          if (isTemporalUnavailable(error) || error instanceof StartRefusedError) throw error;
          return nextTry(context, current, error).waitMs;
        }
        logger.info({ landingId, workflowId }, 'landing workflow started');
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof StartRefusedError)) throw error;
      logger.error({ err: error, landingId }, 'Temporal refuses the landing');
      await endLanding(
        context,
        landing,
        internal(landing, `Temporal refuses it: ${error.message}`),
      );
    }
  });
}

/**
 * Ends landings whose workflow was not started in time, and those that were cancelled before it was. A workflow that
 * starts after all finds its landing ended, and ends.
 *
 * @param startMs time for a landing to get its workflow
 */
export async function endUnstartedLandings(
  context: LandingContext,
  startMs: number,
  signal: AbortSignal,
): Promise<void> {
  const unstarted = await context.database.Landing.unstartedFor(startMs, BATCH_SIZE);
  await forEachRow('landing', unstarted, signal, (landing) =>
    endLanding(
      context,
      landing,
      landing.cancelRequestedAt
        ? cancelled(landing, 'its workflow was not started')
        : landingFailureOf(
            'service_unavailable',
            landing.phase,
            `Temporal did not start its workflow within ${durationText(startMs)} (AIRLINE_START_MS)`,
          ),
      // Another dispatcher may have started it since it was read.
      ({ dispatchedAt }) => dispatchedAt === null,
    ),
  );
}

/**
 * Tells the workflows of landings what was decided of them, that something has changed, and that they are cancelled.
 *
 * @throws as tellEach
 */
export async function deliverToLandings(context: RetryContext, signal: AbortSignal): Promise<void> {
  const untold = await context.database.Landing.withUndelivered(BATCH_SIZE);
  await tellEach(context, untold, signal, (landing) => deliver(context, landing));
}

async function deliver(context: LandingContext, landing: Landing): Promise<void> {
  const { workflows } = context;
  const { workflowId } = landing;
  if (landing.decision && !landing.decisionDeliveredAt)
    await landing.tellDecision((decision) => workflows.signalDecision(workflowId, decision));
  if (landing.wakeAt && !landing.wakeDeliveredAt) {
    await workflows.signalWake(workflowId);
    await landing.markWoken();
  }
  if (!landing.cancelRequestedAt || landing.cancelDeliveredAt) return;
  if ((await workflows.signalCancel(workflowId, cancellerOf(landing))) === 'ended')
    await endLanding(
      context,
      landing,
      cancelled(landing, 'its workflow had ended without a result'),
    );
  await landing.markCancellationDelivered();
}

/**
 * Ends landings whose workflow ended without a result, or is unknown to Temporal. One that runs is told again what it
 * was told before. One that runs and cannot get on is noted on its landing, since it reports nothing itself.
 *
 * @param silentSince Temporal is asked after a landing of which nothing was heard since then
 */
export async function sweepLandings(
  context: LandingContext,
  silentSince: Date,
  signal: AbortSignal,
): Promise<void> {
  const silent = await context.database.Landing.silentSince(silentSince, BATCH_SIZE);
  await forEachRow('landing', silent, signal, async (landing) => {
    const status = await askAfterWorkflow(context, landing.workflowId);
    if (status.state === 'stuck') await landing.markHeard(status);
    else if (status.state === 'running') {
      await tellAgain(context, landing);
      await landing.markHeard(null);
    } else if (status.state === 'completed')
      await endLanding(context, landing, lostLanding(landing.phase));
    else {
      const how =
        status.state === 'ended' ? 'has ended without a result' : 'is unknown to Temporal';
      await endLanding(context, landing, internal(landing, `its workflow ${how}`));
    }
  });
}

/**
 * Tells a workflow again what it was told, which it may have lost, as where an operator has reset it without its
 * signals: one that knows it does nothing about it. What is being published heeds nothing any more.
 */
async function tellAgain({ workflows }: LandingContext, landing: Landing): Promise<void> {
  const { workflowId, phase, cancelDeliveredAt, decisionDeliveredAt, wakeDeliveredAt } = landing;
  if (phase === 'publishing') return;
  if (decisionDeliveredAt)
    await landing.tellDecision((decision) => workflows.signalDecision(workflowId, decision));
  if (wakeDeliveredAt) await workflows.signalWake(workflowId);
  if (cancelDeliveredAt) await workflows.signalCancel(workflowId, cancellerOf(landing));
}

function internal({ phase }: Landing, message: string): LandingFailure {
  return landingFailureOf('internal', phase, message);
}

function cancelled(landing: Landing, reason: string): LandingFailure {
  const message = `cancelled by ${cancellerOf(landing)}; ${reason}`;
  return landingFailureOf('cancelled', landing.phase, message);
}

/**
 * Ends a landing in place of its workflow, unless it has ended.
 *
 * @param isWanted whether it is to be ended still, asked under the lock of its row
 */
async function endLanding(
  { database, logger }: LandingContext,
  landing: Landing,
  failure: LandingFailure,
  isWanted?: (landing: Landing) => boolean,
): Promise<void> {
  const recorded = await database.LandingEvent.record(
    {
      landingId: landing.id,
      attempt: landing.attempt,
      key: FINAL_REPORT,
      phase: failure.class === 'cancelled' ? 'cancelled' : 'failed',
      failure,
    },
    isWanted,
  );
  if (recorded) logger.error({ landingId: landing.id, failure }, 'landing ended by the dispatcher');
}
