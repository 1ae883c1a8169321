import { setTimeout as delay } from 'node:timers/promises';
import type { serveCancelUrls } from './cancel-urls.ts';
import type { Fate } from './fates.ts';
import type { createPatientRest } from './patient-rest.ts';
import type { PlannedBuild } from './plan.ts';

/** A request of the lander, as it went. */
export type LandedBuild = {
  number: number;
  fate: Fate;
  ppa: string;
  queue: string;
  /** Null where the request was never answered 202. */
  buildId: number | null;
  /** How its cancellation was answered: 202 or 409; `url` where the cancel URL says it. */
  cancellation: 'accepted' | 'ended' | 'url' | null;
  /** What went wrong on the lander's side. */
  lastError: string | null;
};

/** The PPA of one request, of which no other request knows. */
function ppaOf(build: number): string {
  return `~airline/debian/chaos-${build}`;
}

/**
 * Requests the planned builds at their times, and cancels those that are to be cancelled.
 *
 * @param runKey makes the Idempotency-Keys those of this run
 * @returns one record for each, filled in as things go on; `ended` resolves when every request has its answers
 */
export function startLander(
  builds: readonly PlannedBuild[],
  options: {
    runKey: string;
    rest: ReturnType<typeof createPatientRest>;
    sources: ReadonlyMap<Fate, string[]>;
    cancelUrls: Awaited<ReturnType<typeof serveCancelUrls>>;
    /** Resolves when the blow of this number has fallen; 0 has at the beginning. */
    hasFallen: (blow: number) => Promise<void>;
  },
): { landed: LandedBuild[]; ended: Promise<void> } {
  const { runKey, rest, sources, cancelUrls, hasFallen } = options;
  const landed = builds.map(({ number, fate, queue }): LandedBuild => ({
    number,
    fate,
    ppa: ppaOf(number),
    queue,
    buildId: null,
    cancellation: null,
    lastError: null,
  }));
  const ended = Promise.all(
    builds.map(async (planned, index) => {
      const build = landed[index] as LandedBuild;
      try {
        await hasFallen(planned.afterBlow);
        await delay(planned.delayMs);
        await land(planned, build);
      } catch (error) {
        build.lastError = (error as Error).message;
      }
    }),
  ).then(() => undefined);
  return { landed, ended };

  async function land(planned: PlannedBuild, build: LandedBuild): Promise<void> {
    const { number, fate, cancelAfterMs } = planned;
    const ticket = await expect<{ id: number }>(201, 'ticket', number, '/api/v1/ticket/', {
      owner: 'lander@airline.example',
      title: `Build ${number}, to be ${fate}`,
    });
    const accepted = await expect<{ id: number }>(202, 'build', number, '/api/v1/build_source', {
      ticket_id: ticket.id,
      source_packages: sources.get(fate),
      series: 'bookworm',
      ppa: build.ppa,
      archive: 'debian',
      progress_trigger: build.queue,
      cancel_url: fate === 'left' ? cancelUrls.urlOf(number) : null,
    });
    build.buildId = accepted.id;
    if (cancelAfterMs === null) return;
    await delay(cancelAfterMs);
    if (fate === 'left') {
      cancelUrls.leave(number);
      build.cancellation = 'url';
      return;
    }
    const path = `/api/v1/build/${accepted.id}/cancel/`;
    const { status, body } = await rest.post(path, {}, `${runKey}-cancel-${number}`);
    if (status !== 202 && status !== 409)
      throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    build.cancellation = status === 202 ? 'accepted' : 'ended';
  }

  async function expect<T>(
    status: number,
    what: string,
    number: number,
    path: string,
    request: object,
  ): Promise<T> {
    const answer = await rest.post(path, request, `${runKey}-${what}-${number}`);
    if (answer.status !== status)
      throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }
}
