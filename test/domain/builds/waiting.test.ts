import { BUILD_PHASES } from '../../../domain/builds/build-phase.ts';
import { waitingOf, waitLimitsOf } from '../../../domain/builds/waiting.ts';
import { BUILD_LIMITS } from '../../support/build-limits.ts';

const HOUR_MS = 3_600_000;
/** A time at so many hours. */
const at = (hours: number) => new Date(hours * HOUR_MS);
const waitLimits = waitLimitsOf(
  {
    ...BUILD_LIMITS,
    acceptanceMs: 2 * HOUR_MS,
    dependencyWaitMs: 4 * HOUR_MS,
    wholeBuildMs: 20 * HOUR_MS,
    cancellationMs: 2 * HOUR_MS,
    logCollectionMs: HOUR_MS,
  },
  10 * HOUR_MS,
);
const known = { usually_ms: 5_000, ahead: null };
/** Requested at 0, started and taken at 2. */
const standing = {
  phaseSince: at(3),
  requestedAt: at(0),
  dispatchedAt: at(2),
  takenAt: at(2),
  dependencyWaitSince: null,
  waitLimits,
};
const gaveUpAt = (given: Partial<Parameters<typeof waitingOf>[0]>) => {
  const waiting = waitingOf({ ...standing, phase: 'queued', ...given }, known);
  return waiting?.gives_up_at && Date.parse(waiting.gives_up_at) / HOUR_MS;
};

describe('what a build waits for', () => {
  test('is said in the phases in which it waits, and in no other', () => {
    const said = BUILD_PHASES.map((phase) => waitingOf({ ...standing, phase }, known));
    expect(said.flatMap((waiting) => waiting?.for ?? [])).toEqual([
      'worker',
      'ppa',
      'builder',
      'dependency',
      'prerequisite',
    ]);
    expect(said.filter((waiting) => waiting === null)).toHaveLength(BUILD_PHASES.length - 5);
  });

  test('has since when, what is known of earlier builds, and the queue', () => {
    const queued = { ...standing, phase: 'queued' as const, dispatchedAt: null };
    expect(waitingOf(queued, { usually_ms: 5_000, ahead: 3 })).toEqual({
      for: 'temporal',
      since: at(3).toISOString(),
      usually_ms: 5_000,
      gives_up_at: at(10).toISOString(),
      ahead: 3,
    });
  });
});

describe('when it is given up', () => {
  test('by the time to start, and once started by the time that Temporal gives its workflow', () => {
    expect(gaveUpAt({ dispatchedAt: null, takenAt: null })).toBe(10);
    expect(gaveUpAt({ takenAt: null })).toBe(2 + 20 + 2 + 1 + 24 + 1);
  });

  test('by the time for the acceptance, and for the whole build', () => {
    expect(gaveUpAt({ phase: 'accepting' })).toBe(5);
    expect(gaveUpAt({ phase: 'accepting', phaseSince: at(21) })).toBe(22);
    expect(gaveUpAt({ phase: 'waiting_for_builder' })).toBe(22);
  });

  test('earlier where it was started long before a worker took it', () => {
    const phase = 'waiting_for_builder';
    expect(gaveUpAt({ phase, dispatchedAt: at(1.75) })).toBe(22);
    expect(gaveUpAt({ phase, dispatchedAt: at(1) })).toBe(21.5);
    expect(gaveUpAt({ phase, takenAt: at(9), phaseSince: at(10) })).toBe(22.5);
  });

  test('a retry in the PPA, whose upload is there, by the time for the whole build', () => {
    expect(gaveUpAt({ phase: 'accepting', phaseSince: at(2) })).toBe(22);
  });

  test('by the time for a Dependency wait, from when that counts', () => {
    const phase = 'dependency_wait';
    expect(gaveUpAt({ phase })).toBe(7);
    expect(gaveUpAt({ phase, phaseSince: at(6), dependencyWaitSince: at(4) })).toBe(8);
    expect(gaveUpAt({ phase, phaseSince: at(21) })).toBe(22);
  });

  test('is not known where no limits are', () => {
    expect(gaveUpAt({ waitLimits: null })).toBeNull();
    expect(gaveUpAt({ phase: 'accepting', takenAt: null })).toBeNull();
  });
});
