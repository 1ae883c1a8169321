import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { phaseStops } from '../../web/landing/phase-stops.ts';
import { testRows } from '../../web/landing/test-cells.ts';
import type { Gate, Landing, LandingEvent, Testrun } from '../../web/server/api-types.ts';

const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const event = (phase: LandingPhase, minute: number, attempt = 1) =>
  ({ phase, attempt, timestamp: at(minute) }) as LandingEvent;
/** As they are all kept. */
const inOrder = (events: LandingEvent[]) =>
  events.map((one, index) => ({ ...one, seq: index + 1 }));
const wayOf = (
  phase: LandingPhase,
  events: LandingEvent[] | undefined,
  more: Partial<Landing> = {},
) =>
  phaseStops({ phase, failure: null, attempt: 1, ...more }, events).map(
    ({ key, state }) => `${key} ${state}`,
  );

describe('the way of a landing', () => {
  it('goes through the phases, with those that were left out', () => {
    const way = inOrder([
      event('queued', 0),
      event('building', 2),
      event('building', 5),
      event('approving', 9),
    ]);
    expect(wayOf('approving', way)).toEqual([
      'queued past',
      'leasing skipped',
      'building past',
      'imaging skipped',
      'testing skipped',
      'approving here',
      'publishing ahead',
      'complete ahead',
    ]);
    const [, , building] = phaseStops({ phase: 'approving', failure: null, attempt: 1 }, way);
    expect(building).toMatchObject({ enteredAt: at(2), leftAt: at(9) });
  });

  it('ends where it failed, and is that of the latest attempt', () => {
    const failure = { phase: 'building' } as NonNullable<Landing['failure']>;
    const events = inOrder([
      event('queued', 0),
      event('approving', 1),
      event('failed', 2),
      event('queued', 3, 2),
      event('building', 4, 2),
      event('cancelled', 5, 2),
    ]);
    const way = wayOf('cancelled', events, { failure, attempt: 2 });
    expect(way.slice(0, 4)).toEqual([
      'queued past',
      'leasing skipped',
      'building cancelled',
      'imaging ahead',
    ]);
  });

  it('calls nothing skipped where the events before its end are no longer kept', () => {
    const ended = [{ ...event('complete', 9), seq: 7 }];
    expect(wayOf('complete', ended)).toEqual([
      'queued removed',
      'leasing removed',
      'building removed',
      'imaging removed',
      'testing removed',
      'approving removed',
      'publishing removed',
      'complete here',
    ]);
  });

  it('knows what an attempt left out whose events are kept, though those of the one before are not', () => {
    const events = [
      { ...event('failed', 2), seq: 4 },
      { ...event('queued', 3, 2), seq: 5 },
      { ...event('building', 4, 2), seq: 6 },
    ];
    expect(wayOf('building', events, { attempt: 2 }).slice(0, 3)).toEqual([
      'queued past',
      'leasing skipped',
      'building here',
    ]);
  });

  it('calls nothing skipped before its events are known', () => {
    expect(wayOf('building', undefined).slice(0, 3)).toEqual([
      'queued unknown',
      'leasing unknown',
      'building here',
    ]);
  });
});

describe('the tests of a landing', () => {
  const run = (given: Partial<Testrun>) =>
    ({
      id: 1,
      source: 'hello',
      version: '1',
      architecture: 'amd64',
      reason: 'depends',
      why: '',
      try: 1,
      state: 'finished',
      results: [{ name: 'smoke', status: 'PASS', detail: '' }],
      ...given,
    }) as Testrun;
  const excuse = (verdict: Gate['excuses'][number]['verdict'], source = 'hello') =>
    ({ source, architecture: 'amd64', test: 'smoke', verdict }) as Gate['excuses'][number];
  const wordsOf = (runs: Testrun[], excuses: Gate['excuses'] = [], isUnderWay = true) =>
    testRows(runs, { excuses, isUnderWay }).map(({ source, cells }) => [
      source,
      ...[...cells].map(([on, { says, passed }]) => `${on} ${says} ${passed}`),
    ]);

  it('are those of the last try, the changed packages first', () => {
    const runs = [
      run({ id: 3, try: 2, results: [{ name: 'smoke', status: 'FAIL', detail: '' }] }),
      run({ id: 1 }),
      run({ id: 2, architecture: 'arm64', state: 'running', results: [] }),
      run({ id: 4, source: 'world', reason: 'changed' }),
    ];
    expect(wordsOf(runs)).toEqual([
      ['world', 'amd64 pass 1 of 1'],
      ['hello', 'amd64 fails 0 of 1', 'arm64 running '],
    ]);
  });

  it('are those of the latest image, which begin with the first try again', () => {
    const failed = [{ name: 'smoke', status: 'FAIL' as const, detail: '' }];
    const runs = [
      run({ id: 1, image_id: 10, results: failed }),
      run({ id: 2, image_id: 10, try: 2, results: failed }),
      run({ id: 3, image_id: 20 }),
    ];
    expect(wordsOf(runs)).toEqual([['hello', 'amd64 pass 1 of 1']]);
  });

  it('are none of a package that is not tested any more in the latest image', () => {
    const runs = [
      run({ id: 1, image_id: 10, source: 'gone', state: 'cancelled', results: [] }),
      run({ id: 2, image_id: 20 }),
    ];
    expect(wordsOf(runs)).toEqual([['hello', 'amd64 pass 1 of 1']]);
  });

  it('wait while their image is made anew, and are cancelled where the landing has ended', () => {
    const runs = [run({ state: 'cancelled', results: [] })];
    expect(wordsOf(runs)).toEqual([['hello', 'amd64 queued ']]);
    expect(wordsOf(runs, [], false)).toEqual([['hello', 'amd64 cancelled ']]);
  });

  it('show the gravest verdict of those that do not pass', () => {
    const excuses = [excuse('flaky'), excuse('regression'), excuse('cannot_tell', 'world')];
    expect(wordsOf([run({})], excuses)).toEqual([['hello', 'amd64 regression 1 of 1']]);
  });

  it('show the override that lets the landing through before what always failed', () => {
    const excuses = [excuse('always_failed'), excuse('overridden')];
    expect(wordsOf([run({})], excuses)).toEqual([['hello', 'amd64 overridden 1 of 1']]);
  });
});
