import { setTimeout as delay } from 'node:timers/promises';
import { isOver, type LandingPhase } from '../../domain/landings/landing-phase.ts';
import { until } from '../support/until.ts';
import { pocketOf, TARGET, type LandingFate } from './landing-fates.ts';
import type { createPatientRest } from './patient-rest.ts';
import type { PlannedLanding } from './plan.ts';

// What it waits for may take as long as a build that waits, with parts down all the while.
const PATIENCE_MS = 10 * 60_000;

/** A landing that the lander has requested, as it went. */
export type RequestedLanding = {
  number: number;
  fate: LandingFate;
  queue: string;
  ticketId: number;
  /** Null where the request was never answered 202. */
  landingId: number | null;
  /** How its cancellation was answered: 202 or 409. */
  cancellation: 'accepted' | 'ended' | null;
  /** What went wrong on the lander's side. */
  lastError: string | null;
};

type Landing = {
  id: number;
  phase: LandingPhase;
  attempt: number;
  failure: { class: string } | null;
};

/**
 * Lands the planned tickets at their times, and does what a person does: approves, rejects, cancels, overrides a test
 * and retries.
 *
 * @param ticketIds of each landing, in their order
 * @returns one record for each, filled in as things go on; `ended` resolves when nothing is left to be asked for
 */
export function startLandings(
  planned: readonly PlannedLanding[],
  options: {
    runKey: string;
    rest: ReturnType<typeof createPatientRest>;
    ticketIds: readonly number[];
    /** Resolves when the blow of this number has fallen; 0 has at the beginning. */
    hasFallen: (blow: number) => Promise<void>;
  },
): { requested: RequestedLanding[]; ended: Promise<void> } {
  const { runKey, rest, ticketIds, hasFallen } = options;
  const requested = planned.map(({ number, fate, queue }, index): RequestedLanding => ({
    number,
    fate,
    queue,
    ticketId: ticketIds[index] ?? 0,
    landingId: null,
    cancellation: null,
    lastError: null,
  }));
  const ended = Promise.all(
    planned.map(async (one, index) => {
      const landing = requested[index] as RequestedLanding;
      try {
        await hasFallen(one.afterBlow);
        await delay(one.delayMs);
        await land(one, landing);
      } catch (error) {
        landing.lastError = (error as Error).message;
      }
    }),
  ).then(() => undefined);
  return { requested, ended };

  async function land(plan: PlannedLanding, landing: RequestedLanding): Promise<void> {
    const { number, fate, usesPool, queue, cancelAfterMs } = plan;
    const post = async (path: string, body: object, ...expected: number[]) => {
      const answer = await rest.post(path, body, `${runKey}-landing-${number}-${path}`);
      if (!expected.includes(answer.status))
        throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer;
    };
    const accepted = await post(
      `/api/v1/ticket/${landing.ticketId}/land/`,
      {
        series: 'bookworm',
        archive: 'debian',
        ...(usesPool ? {} : { ppa: `~airline/debian/landing-${number}` }),
        target: TARGET,
        pocket: pocketOf(fate),
        progress_trigger: queue,
      },
      202,
    );
    const { id } = accepted.body as Landing;
    landing.landingId = id;
    const path = `/api/v1/landing/${id}/`;
    const reached = (what: string, isReached: (seen: Landing) => boolean) =>
      until(
        `${what} of ${path}`,
        async () => {
          const seen = (await rest.get(path)).body as Landing;
          return isReached(seen) && seen;
        },
        PATIENCE_MS,
      );
    if (cancelAfterMs !== null) {
      await delay(cancelAfterMs);
      const { status } = await post(`${path}cancel/`, {}, 202, 409);
      landing.cancellation = status === 202 ? 'accepted' : 'ended';
    } else if (fate === 'approved' || fate === 'rejected') {
      const { phase } = await reached(
        'the approval, or the end,',
        (seen) => seen.phase === 'approving' || isOver(seen.phase),
      );
      if (phase !== 'approving') return;
      const decision = fate === 'approved' ? 'approve' : 'reject';
      await post(`${path}decide/`, { decision, comment: 'Looked at it.' }, 200, 202);
    } else if (fate === 'overridden') {
      const { failure } = await reached('the end', (seen) => isOver(seen.phase));
      if (failure?.class !== 'test_regression') return;
      const validUntil = new Date(Date.now() + 3_600_000).toISOString();
      const source = `land-${number}-lib-app`;
      await post(
        '/api/v1/testoverride/',
        { source, test: 'smoke', reason: 'Its test is wrong.', valid_until: validUntil },
        201,
      );
      await post(`${path}retry/`, {}, 202);
    }
  }
}
