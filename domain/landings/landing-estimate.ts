import { isOver, LANDING_PHASES, type LandingPhase } from './landing-phase.ts';

/** Fewer completed landings say nothing of the next one. */
const MIN_KNOWN_LANDINGS = 3;

/** When a landing in line is expected to begin, and to be complete. */
export type LandingEstimate = {
  /** When what it waits for is expected to be free. RFC 3339, UTC; null where that is not known. */
  start_at: string | null;
  /** Null where `start_at` is. */
  complete_at: string | null;
  /** How many completed landings say so: of several targets, the fewest. */
  based_on: number;
  /** Why nobody knows; null where there is an estimate. */
  reason: string | null;
};

/** How long the latest landings at a target took, from the beginning of each phase until they were complete. */
export type UsualTimes = {
  /** Archive, series and pocket. */
  target: string;
  toEnd: Partial<Record<LandingPhase, { medianMs: number; landings: number }>>;
};

/** A landing that another waits for. */
export type LandingBefore = {
  id: number;
  phase: LandingPhase;
  phaseSince: Date;
  pausedBy: string | null;
  cancelRequestedAt: Date | null;
  estimate: LandingEstimate | null;
  usual: UsualTimes;
};

type Unknown = { basedOn: number; reason: string };
type Expected = { basedOn: number; atMs: number } | Unknown;

/**
 * When a landing in line begins and is complete, if it and those before it take as long as the latest ones at their
 * targets did. One that is late is given the time that its next phases take.
 *
 * @param own.firstPhase the phase that it begins with
 * @param before those that it waits for
 * @param needed how many of these have to end: all of the same packages, one for a PPA of the pool
 */
export function estimateLanding(
  own: UsualTimes & { firstPhase: LandingPhase },
  { before, needed }: { before: readonly LandingBefore[]; needed: number },
  nowMs: number,
): LandingEstimate {
  const ends = before.map((one) => endOf(one, nowMs));
  const whole = usualTime(own, own.firstPhase);
  const basedOn = Math.min(...[...ends, whole].map((one) => one.basedOn));
  const known = ends.flatMap((end) => ('atMs' in end ? end.atMs : []));
  const startMs = known.toSorted((one, other) => one - other)[needed - 1];
  if (startMs === undefined || 'reason' in whole) {
    const [unknown = NOBODY_ENDS] = [...ends, whole].filter((one) => 'reason' in one);
    return { start_at: null, complete_at: null, based_on: basedOn, reason: unknown.reason };
  }
  return {
    start_at: new Date(startMs).toISOString(),
    complete_at: new Date(startMs + whole.medianMs).toISOString(),
    based_on: basedOn,
    reason: null,
  };
}

const NOBODY_ENDS = { reason: 'Fewer landings are under way than have to end first.' };

function endOf(landing: LandingBefore, nowMs: number): Expected {
  const { id, phase, phaseSince, pausedBy, estimate, usual } = landing;
  const unknown = (reason: string) => ({ basedOn: estimate?.based_on ?? 0, reason });
  if (isOver(phase)) return unknown(`Landing ${id} has ended and may be retried.`);
  if (landing.cancelRequestedAt) return { basedOn: Infinity, atMs: nowMs };
  if (pausedBy !== null) return unknown(`Landing ${id} is paused, by ${pausedBy}.`);
  if (phase === 'queued' || phase === 'leasing')
    return estimate?.complete_at
      ? { basedOn: estimate.based_on, atMs: Date.parse(estimate.complete_at) }
      : unknown(`It is not known when landing ${id} begins.`);
  const rest = usualTime(usual, phase);
  if ('reason' in rest) return rest;
  const [next = 0] = LANDING_PHASES.slice(LANDING_PHASES.indexOf(phase) + 1).flatMap(
    (later) => usual.toEnd[later]?.medianMs ?? [],
  );
  const atMs = Math.max(phaseSince.getTime() + rest.medianMs, nowMs + next);
  return { basedOn: rest.basedOn, atMs };
}

function usualTime(
  { target, toEnd }: UsualTimes,
  from: LandingPhase,
): { basedOn: number; medianMs: number } | Unknown {
  const { medianMs = 0, landings = 0 } = toEnd[from] ?? {};
  if (landings >= MIN_KNOWN_LANDINGS) return { basedOn: landings, medianMs };
  return {
    basedOn: landings,
    reason: `An estimate needs ${MIN_KNOWN_LANDINGS} landings that were completed in ${target} at the first attempt, and there are ${landings}.`,
  };
}
