import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
  TimeoutFailure,
} from '@temporalio/workflow';
import { CANCEL_SIGNAL, STATUS_QUERY } from '../domain/build-workflow.ts';
import { landingFailureOf, type LandingFailure } from '../domain/landing-failure.ts';
import {
  DECIDE_SIGNAL,
  type Decision,
  type LandingInput,
  type LandingResult,
  type LandingStatus,
} from '../domain/landing.ts';
import { callerOf } from './caller.ts';
import { awaitApproval } from './landing/await-approval.ts';
import { buildPackages } from './landing/build-packages.ts';
import { LandingAttempt } from './landing/landing-attempt.ts';
import { LandingEnded } from './landing/landing-ended.ts';
import { publishPackages } from './landing/publish-packages.ts';
import { leasePpa } from './landing/lease-ppa.ts';
import { waitForTurn } from './landing/wait-for-turn.ts';

const cancelSignal = defineSignal<[requestedBy?: unknown]>(CANCEL_SIGNAL);
const decideSignal = defineSignal<[decision: Decision]>(DECIDE_SIGNAL);
const statusQuery = defineQuery<LandingStatus>(STATUS_QUERY);

/**
 * Takes a ticket's source packages into a target, and says why it stops.
 *
 *     queued → leasing → building → approving → publishing → complete | failed | cancelled
 *
 * Every phase and its exits. Each is reported as it begins, with the ticket's step. A cancellation is the `cancel` signal
 * or Temporal's own; it counts until `publishing`, and its exit is `cancelled`.
 *
 * - `queued`: wait until no landing that came first claims one of the packages (`queueMs`). Exits: `leasing`, where it names
 *   no PPA, or `building`; out of time: `failed`.
 * - `leasing`: wait until a PPA of the pool is free that never had these packages (`leaseMs`). Exits: `building`; out of
 *   time: `failed`.
 * - `building`: a child BuildSourceWorkflow for each package, in the order of their build dependencies. Exits: `approving`,
 *   when all are published in the landing's PPA. A circle, or a build that fails: `failed`, once the builds beside it have
 *   ended; what depends on it is not built. Cancelled: its builds are cancelled first.
 * - `approving`: wait for a person (`approvalMs`). Exits: `publishing`. Rejected, or nobody decides in time: `failed`.
 * - `publishing`: check all copies, send them, wait until the target shows them (`publicationMs`). Exits: `complete`. The
 *   target refuses one, or does not show it in time: `failed`, which says what is published.
 * - `complete`, `failed`, `cancelled`: the one final event is recorded, and the packages are given back. A landing that
 *   failed is a result; the workflow throws only where Temporal itself cancelled it.
 */
export async function LandTicketWorkflow(input: LandingInput): Promise<LandingResult> {
  const root = CancellationScope.current();
  const attempt = new LandingAttempt(input);
  setHandler(statusQuery, () => attempt.status());
  setHandler(cancelSignal, (requestedBy) => attempt.cancel(callerOf(requestedBy)));
  setHandler(decideSignal, (decision) => {
    attempt.decision ??= decision;
  });

  const failure = await run(attempt);
  await CancellationScope.nonCancellable(() => finish(attempt, failure));
  if (root.consideredCancelled) throw new CancelledFailure('cancelled through Temporal');
  return failure ? { phase: endOf(failure), failure } : { phase: 'complete' };
}

/** @returns why it failed; undefined where everything is published */
async function run(attempt: LandingAttempt): Promise<LandingFailure | undefined> {
  try {
    // A row that has ended meanwhile, such as one that was started too late, takes no report.
    if (!attempt.input.resumed && !(await attempt.report()))
      return attempt.cancelled('nobody: it had ended before');
    await waitForTurn(attempt);
    await leasePpa(attempt);
    await attempt.begin('building');
    const order = await buildPackages(attempt);
    await awaitApproval(attempt);
    await publishPackages(attempt, order);
    return undefined;
  } catch (error) {
    if (error instanceof LandingEnded) return error.failure;
    if (isCancellation(error)) return attempt.cancelled("Temporal's own cancellation");
    if (error instanceof ActivityFailure) return failureOfActivity(attempt, error);
    throw error;
  }
}

function failureOfActivity({ phase }: LandingAttempt, { cause, message }: ActivityFailure) {
  const isCircle = cause instanceof ApplicationFailure && cause.type === 'dependency_cycle';
  if (phase === 'publishing' && cause instanceof TimeoutFailure)
    return landingFailureOf('copy_not_seen', phase, 'the target did not answer in time');
  return landingFailureOf(
    isCircle ? 'dependency_cycle' : 'internal',
    phase,
    cause?.message ?? message,
  );
}

async function finish(attempt: LandingAttempt, failure: LandingFailure | undefined): Promise<void> {
  await attempt.begin(failure ? endOf(failure) : 'complete', failure ? { failure } : {});
}

function endOf(failure: LandingFailure): 'failed' | 'cancelled' {
  return failure.class === 'cancelled' ? 'cancelled' : 'failed';
}
