import {
  BUILD_PHASES,
  finalPhase,
  phaseInPpa,
  phaseWords,
  stateOfPhase,
} from '../../../domain/builds/build-phase.ts';
import { BUILD_STATES } from '../../../domain/builds/build-request.ts';
import type { BuildRecordState } from '../../../domain/builds/build-state.ts';
import { messageOfPhase, progressStateOf } from '../../../domain/builds/progress.ts';

describe('the phase of a build in the PPA', () => {
  it.each<[string, BuildRecordState[]]>([
    ['waiting_for_builder', []],
    ['waiting_for_builder', ['waiting']],
    ['waiting_for_builder', ['waiting', 'completed', 'failed', 'dependency_wait']],
    ['building', ['waiting', 'building', 'dependency_wait']],
    ['building', ['unknown', 'waiting']],
    ['dependency_wait', ['dependency_wait', 'completed', 'failed']],
    ['building', ['completed', 'completed']],
    ['building', ['completed', 'failed']],
  ])('is %s with %j', (phase, states) => expect(phaseInPpa(states)).toBe(phase));
});

describe('the phase of a build of which packages are uploaded later', () => {
  it.each([
    ['prerequisite_wait', ['completed', 'completed']],
    ['prerequisite_wait', ['completed', 'failed']],
    ['building', ['failed']],
    ['building', ['completed', 'building']],
    ['dependency_wait', ['completed', 'dependency_wait']],
    ['waiting_for_builder', []],
  ] as const)('is %s with %j', (phase, states) => expect(phaseInPpa(states, true)).toBe(phase));
});

describe('a phase', () => {
  it('is one of those that a failure, or none, ends in', () => {
    expect(finalPhase(undefined)).toBe('completed');
    expect(finalPhase(null)).toBe('completed');
    expect(finalPhase({ class: 'cancelled' })).toBe('cancelled');
    expect(finalPhase({ class: 'build_failed' })).toBe('failed');
  });

  it('has a state of the build, a worker message and a progress state', () => {
    const told = BUILD_PHASES.map((phase) =>
      [phase, stateOfPhase(phase), messageOfPhase(phase), progressStateOf(phase)].join(' '),
    );
    expect(told).toEqual([
      'queued queued  WAITING',
      'merging checking STARTED WAITING',
      'checking checking STARTED WAITING',
      'uploading uploading STARTED WAITING',
      'accepting accepting STARTED WAITING',
      'waiting_for_builder building INPROGRESS STATUS',
      'building building INPROGRESS STATUS',
      'dependency_wait building INPROGRESS STATUS',
      'prerequisite_wait building INPROGRESS STATUS',
      'collecting collecting INPROGRESS STATUS',
      'completed completed COMPLETE COMPLETED',
      'failed failed FAILURE FAILED',
      'cancelled failed FAILURE FAILED',
    ]);
    expect([...new Set(BUILD_PHASES.map(stateOfPhase))]).toEqual(BUILD_STATES);
  });

  it('is shown in words', () => {
    expect(phaseWords('waiting_for_builder')).toBe('waiting for builder');
  });
});
