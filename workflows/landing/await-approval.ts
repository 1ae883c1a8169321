import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/**
 * Waits for a person's decision, where one is needed: what no test has judged is never published without one, unless
 * the policy says that a target needs neither.
 *
 * @param judgeAgain judges the tests again, once an override may have changed the verdict
 * @throws LandingEnded where it is rejected, nobody decides in time, or it is cancelled
 */
export async function awaitApproval(
  attempt: LandingAttempt,
  judgeAgain: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { approvalMs } = attempt.input.limits;
  if (!isAsked(attempt)) return;
  await attempt.proceed();
  await attempt.begin('approving');
  let endsAtMs = Date.now() + approvalMs;
  // An override that came between the verdict and this phase has woken nobody.
  if (mayChange(attempt) && attempt.knows('judged-as-approval-begins')) await judgeAgain();
  while (isAsked(attempt)) {
    const isDecided = () => attempt.decision !== null;
    const leftMs = endsAtMs - Date.now();
    const isOver = !(await attempt.waitUntilWoken(leftMs, 'an approval', isDecided));
    if (isOver && attempt.looksAgain) await attempt.report();
    if (isDecided()) break;
    if (isOver && !attempt.looksAgain) throw timedOut(approvalMs);
    const pausedMs = await attempt.proceed();
    endsAtMs += pausedMs;
    await judgeAgain();
    if (isOver && pausedMs === 0 && !isDecided() && isAsked(attempt)) throw timedOut(approvalMs);
  }
  const rejection = rejectionOf(attempt);
  if (rejection) throw rejection;
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
