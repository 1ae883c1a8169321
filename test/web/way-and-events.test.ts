import { phaseOfReport, type ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { Build, ProgressMessage, StatusChange } from '../../web/server/api-types.ts';
import { groupsOf } from '../../web/build/event-groups.ts';
import { stretchesOf, timesOf } from '../../web/build/build-times.ts';
import { timelineSteps } from '../../web/ticket/timeline-steps.ts';
import type { StepValue } from '../../domain/tickets/ticket.ts';

const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const move = (from: StepValue, to: StepValue, minute: number, subticket: string | null = null) =>
  ({ subticket, from_step: from, to_step: to, created_at: at(minute) }) as StatusChange;
const wayOf = (step: StepValue, changes?: StatusChange[], status: string = step) =>
  timelineSteps({ current_workflow_step: step, status, created_at: at(0) }, changes).map(
    ({ step: one, state }) => `${one} ${state}`,
  );

describe('the way of a ticket', () => {
  it('goes through the steps, with those that were left out', () => {
    expect(wayOf('400', [move('100', '200', 5), move('200', '400', 9)])).toEqual([
      '100 past',
      '200 past',
      '300 skipped',
      '400 here',
      '500 ahead',
      '1000 ahead',
    ]);
  });

  it('ends where it failed', () => {
    expect(wayOf('999', [move('100', '200', 5), move('200', '999', 9)]).slice(0, 3)).toEqual([
      '100 past',
      '200 failed',
      '300 ahead',
    ]);
  });

  it('ends at the step that it failed at by its status', () => {
    const changes = [move('100', '999', 5), move('999', '400', 9)];
    expect(wayOf('400', changes, '999').slice(2, 5)).toEqual([
      '300 skipped',
      '400 failed',
      '500 ahead',
    ]);
    // Where its history is not known, too.
    expect(wayOf('400', undefined, '999').slice(2, 5)).toEqual([
      '300 unknown',
      '400 failed',
      '500 ahead',
    ]);
  });

  it('is not that of its packages', () => {
    expect(wayOf('100', [move('100', '300', 5, '/api/v1/subticket/1/')])[0]).toBe('100 here');
  });
});

let seq = 0;
const event = (
  message: ProgressMessage['message'],
  buildstate: string,
  state: string,
  minute: number,
  attempt = 1,
) =>
  ({
    seq: ++seq,
    message,
    attempt,
    phase: phaseOfReport({ message: message ?? 'STARTED' }, [{ state } as ArchitectureBuild]),
    timestamp: at(minute),
    builds: [{ package: 'hello', architecture: 'amd64', buildstate, state }],
  }) as ProgressMessage;

describe('events', () => {
  const events = [
    event('INPROGRESS', 'Needs building', 'waiting', 1),
    event('INPROGRESS', 'Currently building', 'building', 2),
    event('INPROGRESS', 'Currently building', 'building', 3),
    event('INPROGRESS', 'Currently building', 'building', 4),
    event('COMPLETE', 'Successfully built', 'completed', 7),
  ];

  it('that say the same again are one line', () => {
    expect(groupsOf(events).map(({ repeats, changes }) => [repeats, changes.length])).toEqual([
      [0, 1],
      [2, 1],
      [0, 1],
    ]);
  });

  it('of another attempt say all anew', () => {
    const again = [...events, event('INPROGRESS', 'Successfully built', 'completed', 9, 2)];
    expect(groupsOf(again).at(-1)?.changes).toHaveLength(1);
  });

  it('tell when an architecture began and ended, where the PPA does not', () => {
    const amd64 = { package: 'hello', architecture: 'amd64', state: 'completed' } as const;
    expect(timesOf(amd64, events, null)).toEqual({ startedAt: at(2), endedAt: at(7) });
    const told = { ...amd64, started_at: at(1), built_at: at(5) };
    expect(timesOf(told, events, null)).toEqual({ startedAt: at(1), endedAt: at(5) });
    const uploading = { ...told, state: 'building' } as const;
    expect(timesOf(uploading, events, null)).toEqual({ startedAt: at(1), endedAt: undefined });
    expect(timesOf({ ...amd64, architecture: 'arm64', state: 'waiting' }, events, null)).toEqual({
      startedAt: undefined,
      endedAt: undefined,
    });
  });

  it('tell how long it waited, was built, and took to be published', () => {
    const amd64 = {
      package: 'hello',
      architecture: 'amd64',
      state: 'completed',
      created_at: at(0),
    } as ArchitectureBuild;
    const made = { source: 'hello', architecture: 'amd64', published_at: at(9) };
    const build = { requested_at: at(1), finished_at: at(9), built_packages: [made] } as Build;
    const MINUTE_MS = 60_000;
    // What it waited before the attempt was requested is not of the attempt.
    expect(stretchesOf(amd64, { startedAt: at(3), endedAt: at(7) }, build, 0)).toEqual({
      waitedMs: 2 * MINUTE_MS,
      builtMs: 4 * MINUTE_MS,
      publishedMs: 2 * MINUTE_MS,
    });
    const now = Date.parse(at(5));
    expect(stretchesOf(amd64, { startedAt: undefined, endedAt: undefined }, build, now)).toEqual({
      waitedMs: 4 * MINUTE_MS,
      builtMs: undefined,
      publishedMs: undefined,
    });
  });

  it('that an earlier attempt has built waited for nothing in this one', () => {
    const kept = {
      package: 'hello',
      architecture: 'amd64',
      created_at: at(0),
    } as ArchitectureBuild;
    const build = {
      requested_at: at(20),
      finished_at: null,
      built_packages: [],
    } as unknown as Build;
    const times = { startedAt: at(3), endedAt: at(7) };
    expect(stretchesOf(kept, times, build, 0).waitedMs).toBeUndefined();
  });

  it.each(['building', 'dependency_wait', 'waiting'] as const)(
    'leave no time running of what was %s when the build ended',
    (state) => {
      const left = { package: 'hello', architecture: 'amd64', state, started_at: at(2) };
      expect(timesOf(left, events.slice(0, 3), at(9))).toEqual({
        startedAt: at(2),
        endedAt: at(9),
      });
      const told = { ...left, built_at: at(5) };
      expect(timesOf(told, events.slice(0, 3), at(9)).endedAt).toBe(at(5));
    },
  );
});
