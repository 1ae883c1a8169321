import { workflowInfo } from '@temporalio/workflow';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { shownAhead } from '../../domain/landings/landing.ts';
import { continueLanding } from './continue-landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/**
 * Waits until the landing is not paused and no landing that came first claims one of its packages. It continues as new
 * where that takes long.
 *
 * @throws LandingEnded where its time is over, nobody resumes it in time, or it is cancelled
 */
export async function waitForTurn(attempt: LandingAttempt): Promise<void> {
  const { landingId, limits, resumed } = attempt.input;
  let queuedAtMs = resumed?.queuedAtMs ?? Date.now();
  let known = '';
  for (;;) {
    attempt.assertWanted();
    // One that waits for a PPA has had its turn: leasePpa heeds its pauses, by its own time.
    const pausedMs = attempt.phase === 'queued' ? await attempt.proceedInLine() : 0;
    queuedAtMs += pausedMs;
    if (pausedMs > 0) known = '';
    const ahead = await attempt.activities.claimPackages(landingId);
    if (ahead.length === 0) return;
    const names = shownAhead(ahead);
    if (names !== known) await attempt.report({ ahead });
    known = names;
    const leftMs = queuedAtMs + limits.queueMs - Date.now();
    if (leftMs <= 0)
      throw new LandingEnded(
        landingFailureOf('queue_timed_out', 'queued', `it waited too long for ${names}`),
      );
    await attempt.waitUntil(() => false, Math.min(limits.pollMs, leftMs), names);
    if (workflowInfo().continueAsNewSuggested) await continueLanding(attempt, { queuedAtMs });
  }
}
