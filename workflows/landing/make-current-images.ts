import type { TestingProgress, TestingRound } from '../../domain/landings/landing.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import { listed } from '../../domain/text/listed.ts';
import { historyIsLong } from '../continue-as-new.ts';
import { assertNotRejected } from './await-approval.ts';
import { continueLanding } from './continue-landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { isOfNewBases, makeImages } from './make-images.ts';
import { testsTimedOut } from './within-tests-time.ts';

const MAX_NAMED = 3;
// An index is some minutes late, or hours. A new image takes a tester some minutes, and stays in the data store.
const FIRST_PAUSE_MS = 600_000;
const MAX_PAUSE_MS = 3_600_000;

/**
 * Makes the images to test in, and plans the tests. Base images may be behind the target: what is tested in an older
 * version than the target has published would be tested, and approved, in vain. Then they are made anew, which is no
 * change of the target: at once where others have used them, else with growing pauses, as Launchpad says that a source
 * is published before the index has it that images are made of (`publishdistro.py`), and a mirror has it later still.
 * It continues as new after a pause where its history is long.
 *
 * @param first the round; one that the run before has begun has its end
 * @param waits.order the names of what is built, as publishPackages takes them
 * @param waits.pauseMs how long the next pause is, of a round that the run before has begun
 * @throws as makeImages; LandingEnded, too, where the time for its tests is over before the index has it
 */
export async function makeCurrentImages(
  attempt: LandingAttempt,
  policy: LandingPolicy,
  first: TestingRound,
  waits: { order: readonly string[]; pauseMs?: number | undefined },
): Promise<TestingProgress> {
  let round = first;
  let pauseMs = waits.pauseMs ?? attempt.input.limits.indexPollMs ?? FIRST_PAUSE_MS;
  for (;;) {
    const { progress, behind } = await makeImages(attempt, policy, round);
    if (behind.length === 0) return progress;
    const { endsAtMs } = progress;
    const isOfIndex = isOfNewBases(round);
    round = { ...first, endsAtMs };
    if (!isOfIndex) continue;
    await awaitIndex(attempt, behind, { pauseMs, endsAtMs });
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    await keepHistoryShort(attempt, { round, pauseMs, order: [...waits.order] });
  }
}

/** @throws LandingEnded where the time for its tests is over and nobody has paused it meanwhile, or it is cancelled */
async function awaitIndex(
  attempt: LandingAttempt,
  behind: readonly string[],
  { pauseMs, endsAtMs }: { pauseMs: number; endsAtMs: number },
): Promise<void> {
  const { archive } = attempt.input.target;
  const waitsFor = `the index of ${archive} to have ${listed(behind, MAX_NAMED)}`;
  await attempt.begin('imaging', { waitsFor });
  const isWoken = await attempt.waitUntilWoken(Math.min(pauseMs, endsAtMs - Date.now()), waitsFor);
  // One that is paused meanwhile has more time, which is known once it proceeds.
  if (!isWoken && Date.now() >= endsAtMs)
    throw testsTimedOut(attempt, `it waited too long for ${waitsFor}`);
}

/** @throws LandingEnded where it is rejected, which the next run would not know */
async function keepHistoryShort(
  attempt: LandingAttempt,
  place: { round: TestingRound; pauseMs: number; order: string[] },
): Promise<void> {
  const { input, parts } = attempt;
  // Older code went on.
  if (!attempt.awaitsIndexInImaging || !historyIsLong(input.buildLimits.historyMaxEvents)) return;
  assertNotRejected(attempt);
  await continueLanding(attempt, { imaging: { ...place, parts: [...parts] } });
}
