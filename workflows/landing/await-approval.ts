import { landingFailureOf } from '../../domain/landing-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/**
 * Waits for a person's decision. No tests are run yet, and what no test has judged is never published without one.
 *
 * @throws LandingEnded where it is rejected, nobody decides in time, or it is cancelled
 */
export async function awaitApproval(attempt: LandingAttempt): Promise<void> {
  const { approvalMs } = attempt.input.limits;
  await attempt.begin('approving');
  if (!(await attempt.waitUntil(() => attempt.decision !== null, approvalMs, 'an approval')))
    throw new LandingEnded(
      landingFailureOf(
        'approval_timed_out',
        'approving',
        `nobody decided within ${Math.round(approvalMs / 1_000)} s`,
      ),
    );
  const { decision, by, comment } = attempt.decision ?? { decision: 'reject', by: '', comment: '' };
  if (decision === 'reject')
    throw new LandingEnded(
      landingFailureOf('not_approved', 'approving', `rejected by ${by}: ${comment}`),
    );
}
