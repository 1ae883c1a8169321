import { LANDING_PHASES, type LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { Stop } from '../components/stop.ts';
import type { Landing, LandingEvent } from '../server/api-types.ts';

const WORDS: Record<Exclude<LandingPhase, 'failed' | 'cancelled'>, string> = {
  queued: 'In line',
  leasing: 'PPA',
  building: 'Build',
  imaging: 'Image',
  testing: 'Tests',
  approving: 'Approval',
  publishing: 'Publication',
  complete: 'Landed',
};
const WAITS: readonly LandingPhase[] = ['queued', 'leasing', 'approving'];

/**
 * The way of a landing's latest attempt through its phases.
 *
 * @param events of all attempts, in order; undefined while they are not known
 */
export function phaseStops(
  { phase, failure, attempt }: Pick<Landing, 'phase' | 'failure' | 'attempt'>,
  events: readonly LandingEvent[] | undefined,
): Stop[] {
  const entered = new Map<LandingPhase, string>();
  const left = new Map<LandingPhase, string>();
  let before: LandingPhase | undefined;
  for (const event of events ?? []) {
    if (event.attempt !== attempt || event.phase === before) continue;
    if (before !== undefined) left.set(before, event.timestamp);
    entered.set(event.phase, event.timestamp);
    left.delete(event.phase);
    before = event.phase;
  }
  const isStopped = phase === 'failed' || phase === 'cancelled';
  const now = isStopped ? (failure?.phase ?? 'queued') : phase;
  const at = LANDING_PHASES.indexOf(now);
  const stateOf = (one: LandingPhase, index: number): Stop['state'] => {
    if (index > at) return 'ahead';
    if (index === at) return isStopped ? phase : 'here';
    if (!events) return 'unknown';
    if (entered.has(one)) return 'past';
    return areAllKept(events, attempt) ? 'skipped' : 'removed';
  };
  return LANDING_PHASES.filter(isPhaseOfWay).map((one, index) => ({
    key: one,
    word: WORDS[one],
    state: stateOf(one, index),
    enteredAt: index <= at ? entered.get(one) : undefined,
    leftAt: left.get(one),
    isWait: WAITS.includes(one),
    isEnd: one === 'complete',
  }));
}

/** Whether no event of an attempt was removed: the numbers of a landing's events have no gap. */
function areAllKept(events: readonly LandingEvent[], attempt: number): boolean {
  return events.every(
    (one, index) => one.attempt !== attempt || one.seq === (events[index - 1]?.seq ?? 0) + 1,
  );
}

function isPhaseOfWay(phase: LandingPhase): phase is keyof typeof WORDS {
  return phase in WORDS;
}
