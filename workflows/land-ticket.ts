import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
  log,
} from '@temporalio/workflow';
import { CANCEL_SIGNAL, STATUS_QUERY } from '../domain/builds/build-workflow.ts';
import type { LandingFailure } from '../domain/landings/landing-failure.ts';
import {
  DECIDE_SIGNAL,
  WAKE_SIGNAL,
  type LandingInput,
  type LandingResult,
  type LandingStatus,
} from '../domain/landings/landing.ts';
import { callerOf, decisionOf } from './signal-arguments.ts';
import { failureOfActivity } from './landing/activity-failure.ts';
import { awaitApproval } from './landing/await-approval.ts';
import { buildPackages } from './landing/build-packages.ts';
import { LandingAttempt } from './landing/landing-attempt.ts';
import { LandingEnded } from './landing/landing-ended.ts';
import { beginPublishing, publishPackages } from './landing/publish-packages.ts';
import { leasePpa } from './landing/lease-ppa.ts';
import { testPackages } from './landing/test-packages.ts';
import { waitForTurn } from './landing/wait-for-turn.ts';

const cancelSignal = defineSignal<[requestedBy?: unknown]>(CANCEL_SIGNAL);
const decideSignal = defineSignal<[decision?: unknown]>(DECIDE_SIGNAL);
const wakeSignal = defineSignal(WAKE_SIGNAL);
const statusQuery = defineQuery<LandingStatus>(STATUS_QUERY);

/**
 * Takes a ticket's source packages into a target, and says why it stops.
 *
 *     queued → leasing → building → imaging → testing → approving → publishing → complete | failed | cancelled
 *                                     ↑____________________________|
 *
 * Its policy says whether there are tests. A landing that is paused begins no new step. Just before `publishing`, and
 * after each pause there once more, one with tests asks whether its target is as it was tested.
 *
 * Every phase and its exits. Each is reported as it begins, with the ticket's step. A cancellation is the `cancel`
 * signal or Temporal's own; it counts until `publishing`, and its exit is `cancelled`. One that comes later changes
 * nothing.
 *
 * - `queued`: wait until no landing that came first claims one of the packages (`queueMs`). Exits: `leasing`, where it
 *   names no PPA, or `building`; out of time: `failed`.
 * - `leasing`: wait until a PPA of the pool is free that never had these packages (`leaseMs`). Exits: `building`; out
 *   of time: `failed`.
 * - `building`: a child BuildSourceWorkflow for each package, in the order of their build dependencies. Exits:
 *   `imaging`, or `approving` without tests, when all are published in the landing's PPA. A cycle, or a build that
 *   fails: `failed`, once the builds beside it have ended; what depends on it is not built. Cancelled: its builds are
 *   cancelled first.
 * - `imaging`: the testers of each architecture make an image with the packages, and plan the tests. Exits: `testing`;
 *   `imaging`, once, where the packages cannot be installed and are newer than the base image. It waits here, too,
 *   until the index has what the target has published. No tester takes it (`testerMs`), it fails three times, the
 *   packages cannot be installed, the target has a newer version of one, or the time is over (`testsMs`): `failed`.
 * - `testing`: run the tests, run again what failed, and run it without the packages. Exits: `approving`, or
 *   `publishing` where all pass and the policy asks for nobody; `imaging`, where the target has got other versions than
 *   those that were tested; or, once, where a test passes without the packages and these are newer than the base
 *   image. A test that passes without the packages fails, the time is over (`testsMs`), the target has changed too
 *   often, or has a newer version of a package than the landing's: `failed`. Cancelled: what runs is stopped first.
 * - `approving`: wait for a person (`approvalMs`), or for overrides of the tests that ask for one; one that is paused
 *   at the last moment waits here, too. Exits: `publishing`; `imaging`, where the target has got other versions than
 *   those that were tested. Rejected, which counts until `publishing`, nobody decides in time, or the target has
 *   changed too often: `failed`.
 * - `publishing`: check all copies, send them, wait until the target shows them (`publicationMs`). Exits: `complete`.
 *   The target refuses one, or does not show it in time: `failed`, which says what is published.
 * - `complete`, `failed`, `cancelled`: the one final event is recorded, and the packages are given back. A landing that
 *   failed is a result; the workflow throws only where Temporal itself cancelled it.
 */
export async function LandTicketWorkflow(input: LandingInput): Promise<LandingResult> {
  const root = CancellationScope.current();
  const attempt = new LandingAttempt(input);
  setHandler(statusQuery, () => attempt.status());
  setHandler(cancelSignal, (requestedBy) => attempt.cancel(callerOf(requestedBy)));
  setHandler(wakeSignal, () => attempt.wake());
  setHandler(decideSignal, (given) => {
    const decision = decisionOf(given);
    if (decision) attempt.decide(decision);
    else log.warn('the signal of a decision has none, and is not heeded', { signal: given });
  });

  const failure = await run(attempt);
  await CancellationScope.nonCancellable(() => finish(attempt, failure));
  if (root.consideredCancelled && !attempt.isShielded)
    throw new CancelledFailure('cancelled through Temporal');
  return failure ? { phase: endOf(failure), failure } : { phase: 'complete' };
}

/** @returns why it failed; undefined where everything is published */
async function run(attempt: LandingAttempt): Promise<LandingFailure | undefined> {
  try {
    // A row that has ended meanwhile, such as one that was started too late, takes no report.
    if (!attempt.input.resumed && !(await attempt.report())) return attempt.endedBefore();
    const { policy, resumed } = attempt.input;
    const built = resumed?.approving ?? resumed?.testing ?? resumed?.imaging;
    const order = built?.order ?? (await build(attempt));
    if (policy && policy.tests !== 'none') await testPackages(attempt, policy, order);
    else {
      await awaitApproval(attempt, { order, endsAtMs: resumed?.approving?.endsAtMs });
      await beginPublishing(attempt);
    }
    await publishPackages(attempt, order);
    return undefined;
  } catch (error) {
    if (error instanceof LandingEnded) return error.failure;
    if (isCancellation(error)) return attempt.cancelled("Temporal's own cancellation");
    if (error instanceof ActivityFailure)
      return failureOfActivity(error, attempt.phase, attempt.heedsOutages);
    throw error;
  }
}

async function build(attempt: LandingAttempt): Promise<string[]> {
  await waitForTurn(attempt);
  await leasePpa(attempt);
  await attempt.proceed();
  await attempt.begin('building');
  return buildPackages(attempt);
}

async function finish(attempt: LandingAttempt, failure: LandingFailure | undefined): Promise<void> {
  await attempt.begin(failure ? endOf(failure) : 'complete', failure ? { failure } : {});
}

function endOf(failure: LandingFailure): 'failed' | 'cancelled' {
  return failure.class === 'cancelled' ? 'cancelled' : 'failed';
}
