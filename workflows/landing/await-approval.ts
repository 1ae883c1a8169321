import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { TestingProgress } from '../../domain/landings/landing.ts';
import { historyIsLong } from '../continue-as-new.ts';
import { continueLanding } from './continue-landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/** What is approved. */
type Approval = {
  /** The names of what is built, as publishPackages takes them. */
  order: readonly string[];
  /** Where its tests are, and what judges them again once an override may have changed the verdict. */
  progress?: TestingProgress;
  judgeAgain?: () => Promise<void>;
  /** Until when the run before waits, of one that continued as new. */
  endsAtMs?: number | undefined;
};

/**
 * Waits for a person's decision, where one is needed: what no test has judged is never published without one, unless
 * the policy says that a target needs neither. It continues as new where it is woken often.
 *
 * @throws LandingEnded where it is rejected, nobody decides in time, or it is cancelled
 */
export async function awaitApproval(attempt: LandingAttempt, approval: Approval): Promise<void> {
  const { judgeAgain = async () => undefined } = approval;
  const { approvalMs } = attempt.input.limits;
  const isDecided = () => attempt.decision !== null;
  let { endsAtMs } = approval;
  if (endsAtMs === undefined) {
    if (!isAsked(attempt)) return;
    await attempt.proceed();
    await attempt.begin('approving');
    endsAtMs = Date.now() + approvalMs;
    // An override that came between the verdict and this phase has woken nobody.
    if (mayChange(attempt) && attempt.knows('judged-as-approval-begins')) await judgeAgain();
  } else {
    // What woke the run before, as it ended, woke nobody.
    endsAtMs += await attempt.proceed();
    await judgeAgain();
  }
  while (isAsked(attempt)) {
    const leftMs = endsAtMs - Date.now();
    const isOver = !(await attempt.waitUntilWoken(leftMs, 'an approval', isDecided));
    if (isOver && attempt.looksAgain) await attempt.report();
    if (isDecided()) break;
    if (isOver && !attempt.looksAgain) throw timedOut(approvalMs);
    const pausedMs = await attempt.proceed();
    endsAtMs += pausedMs;
    await judgeAgain();
    // Older code, too, asks once more for what is decided by now: that takes the number of a timer.
    const isOpen = !isDecided() && isAsked(attempt);
    if (isOver && pausedMs === 0 && isOpen) throw timedOut(approvalMs);
    if (attempt.boundsApproval && isOpen) await keepHistoryShort(attempt, approval, endsAtMs);
  }
  const rejection = rejectionOf(attempt);
  if (rejection) throw rejection;
}

async function keepHistoryShort(
  attempt: LandingAttempt,
  { order, progress }: Approval,
  endsAtMs: number,
): Promise<void> {
  attempt.assertWanted();
  const { input, parts } = attempt;
  if (!historyIsLong(input.buildLimits.historyMaxEvents)) return;
  const tests = progress ? { progress } : {};
  await continueLanding(attempt, {
    approving: { endsAtMs, ...tests, parts: [...parts], order: [...order] },
  });
}

/**
 * Heeds a rejection that came when nothing waited for a decision any more.
 *
 * @throws LandingEnded where a person has rejected it
 */
export function assertNotRejected(attempt: LandingAttempt): void {
  const rejection = rejectionOf(attempt);
  // Older code went on.
  if (rejection && attempt.knows('rejections-count')) throw rejection;
}

/** How it ends where nobody decides in time. */
function timedOut(approvalMs: number): LandingEnded {
  return new LandingEnded(
    landingFailureOf(
      'approval_timed_out',
      'approving',
      `nobody decided within ${Math.round(approvalMs / 1_000)} s`,
    ),
  );
}

/** How it ends where a person has rejected it. */
function rejectionOf({ decision }: LandingAttempt): LandingEnded | undefined {
  if (decision?.decision !== 'reject') return undefined;
  const { by, comment } = decision;
  return new LandingEnded(
    landingFailureOf('not_approved', 'approving', `rejected by ${by}: ${comment}`),
  );
}

/** Whether it depends on the verdict on its tests that a person has to approve it. */
function mayChange({ input: { policy }, tests }: LandingAttempt): boolean {
  return tests !== null && policy?.approval !== 'always';
}

/** Whether a person has to approve it. */
function isAsked({ input: { policy }, tests }: LandingAttempt): boolean {
  if (!policy || policy.approval === 'always') return true;
  if (tests) return tests.verdict !== 'passes';
  return policy.approval !== 'never';
}
