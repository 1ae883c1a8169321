import {
  estimateLanding,
  type LandingBefore,
  type LandingEstimate,
  type UsualTimes,
} from '../../../domain/landings/landing-estimate.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
const MINUTE_MS = 60_000;
const took = (minutes: number, landings = 4) => ({ medianMs: minutes * MINUTE_MS, landings });
const USUAL: UsualTimes = {
  target: 'ubuntu noble Proposed',
  toEnd: { leasing: took(65), building: took(60), testing: took(40), publishing: took(10) },
};
const RUNNING: LandingBefore = {
  id: 5,
  phase: 'building',
  phaseSince: new Date(NOW_MS - 20 * MINUTE_MS),
  pausedBy: null,
  cancelRequestedAt: null,
  estimate: null,
  usual: USUAL,
};
const ESTIMATE: LandingEstimate = {
  start_at: '2026-01-01T13:00:00.000Z',
  complete_at: '2026-01-01T14:00:00.000Z',
  based_on: 3,
  reason: null,
};

/** Minutes from now until it begins and is complete, and how many landings say so; or why nobody knows. */
function estimate(
  before: Partial<LandingBefore>[],
  { needed = before.length, own = USUAL, firstPhase = 'building' as const } = {},
) {
  const { start_at, complete_at, based_on, reason } = estimateLanding(
    { ...own, firstPhase },
    { before: before.map((one) => ({ ...RUNNING, ...one })), needed },
    NOW_MS,
  );
  const minutes = (time: string | null) => time && (Date.parse(time) - NOW_MS) / MINUTE_MS;
  return reason ?? [minutes(start_at), minutes(complete_at), based_on];
}

it.each<[string, Partial<LandingBefore>, [number, number, number]]>([
  ['one that builds', {}, [40, 100, 4]],
  ['one that is late: its next phases are to come', { phaseSince: new Date(0) }, [40, 100, 4]],
  [
    'one that is publishing, and late',
    { phase: 'publishing', phaseSince: new Date(0) },
    [0, 60, 4],
  ],
  ['one in line, by its own estimate', { phase: 'queued', estimate: ESTIMATE }, [120, 180, 3]],
  ['one that is being cancelled', { cancelRequestedAt: new Date(0) }, [0, 60, 4]],
])('counts the time of %s', (_, before, expected) => {
  expect(estimate([before])).toEqual(expected);
});

it('waits for the last of its packages, and for the first PPA of the pool', () => {
  const before = [{}, { phase: 'testing' as const }, { phaseSince: new Date(NOW_MS) }];
  expect(estimate(before)).toEqual([60, 120, 4]);
  expect(estimate(before, { needed: 1 })).toEqual([20, 80, 4]);
});

it.each<[Partial<LandingBefore>[], object, string]>([
  [[{ pausedBy: 'ann' }], {}, 'Landing 5 is paused, by ann.'],
  [[{ phase: 'failed' }], {}, 'Landing 5 has ended and may be retried.'],
  [[{ phase: 'queued' }], {}, 'It is not known when landing 5 begins.'],
  [[{}, {}], { needed: 3 }, 'Fewer landings are under way than have to end first.'],
  [
    [{}],
    { own: { ...USUAL, toEnd: { building: took(60, 2) } } },
    'An estimate needs 3 landings that were completed in ubuntu noble Proposed at the first attempt, and there are 2.',
  ],
  [
    [{ usual: { target: 'debian sid Proposed', toEnd: {} } }],
    {},
    'An estimate needs 3 landings that were completed in debian sid Proposed at the first attempt, and there are 0.',
  ],
])('says why nobody knows (%#)', (before, how, reason) => {
  expect(estimate(before, how)).toBe(reason);
});
