import { landingsResult, secondsIn } from '../../bench/landings.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { stepOfPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingEventBody } from '../../domain/landings/landing.ts';

const PHASES = ['queued', 'building', 'building', 'imaging', 'testing', 'publishing'] as const;

/** Events one after the other, each so many seconds after the one before. */
function eventsOf(everyS: number): LandingEventBody[] {
  return [...PHASES, 'complete' as const].map((phase: LandingPhase, at) => ({
    seq: at + 1,
    landing_id: 1,
    ticket_id: 1,
    attempt: 1,
    phase,
    step: stepOfPhase(phase),
    timestamp: new Date(at * everyS * 1_000).toISOString(),
    parts: [],
  }));
}

it('a phase lasts from its first event to the first one of the next', () => {
  expect(secondsIn(eventsOf(3), 'building')).toBe(6);
  expect(secondsIn(eventsOf(3), 'publishing')).toBe(3);
});

it('the result has what each step takes beside its script, and misses what takes too long', () => {
  const alone = [1, 2, 3].map((everyS) => ({ events: eventsOf(everyS) }));
  const result = landingsResult({ landings: 20, tookMs: 40_000, alone, lengths: [50, 200] });
  expect(result.goals.map(({ value, isMet }) => [value, isMet])).toEqual([
    [2, false],
    [2, false],
    [0, true],
    [0, true],
    [2, false],
  ]);
  expect(result.tables[1]?.map(({ measured }) => measured)).toEqual([30, 50, 200]);
});
