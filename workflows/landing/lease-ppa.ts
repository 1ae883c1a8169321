import { workflowInfo } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { continueLanding } from './continue-landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/**
 * Takes a PPA of the pool for a landing that names none, and waits until there is one and the landing is not paused. It
 * continues as new where that takes long.
 *
 * @throws LandingEnded where its time is over, nobody resumes it in time, or it is cancelled
 */
export async function leasePpa(attempt: LandingAttempt): Promise<void> {
  const { limits, ppa, resumed } = attempt.input;
  if (ppa) return;
  let leasingAtMs = resumed?.leasingAtMs ?? Date.now();
  if (resumed?.leasingAtMs === undefined) await attempt.begin('leasing');
  let known = '';
  for (;;) {
    attempt.assertWanted();
    const pausedMs = await attempt.proceedInLine();
    leasingAtMs += pausedMs;
    if (pausedMs > 0) known = '';
    const answer = await attempt.activities.leasePpa(attempt.name);
    if ('ppa' in answer) return attempt.takePpa(answer.ppa);
    const { ahead, waitsFor } = answer;
    if (waitsFor !== known) await attempt.report({ ahead, waitsFor });
    known = waitsFor;
    const leftMs = leasingAtMs + (limits.leaseMs ?? 0) - Date.now();
    if (leftMs <= 0)
      throw new LandingEnded(
        landingFailureOf('no_ppa_free', 'leasing', `it waited too long for ${waitsFor}`),
      );
    await attempt.waitUntil(() => false, Math.min(limits.pollMs, leftMs), waitsFor);
    if (workflowInfo().continueAsNewSuggested)
      await continueLanding(attempt, {
        queuedAtMs: resumed?.queuedAtMs ?? leasingAtMs,
        leasingAtMs,
      });
  }
}
