import type { BuildState } from './build-request.ts';
import type { BuildRecordState } from './build-state.ts';
import type { Failure } from './failure.ts';

/** What a build is doing, or waits for, in the order in which they come. */
export const BUILD_PHASES = [
  'queued',
  'merging',
  'checking',
  'uploading',
  'accepting',
  'waiting_for_builder',
  'building',
  'dependency_wait',
  'prerequisite_wait',
  'collecting',
  'completed',
  'failed',
  'cancelled',
] as const;

export type BuildPhase = (typeof BUILD_PHASES)[number];

const STATE: Record<BuildPhase, BuildState> = {
  queued: 'queued',
  merging: 'checking',
  checking: 'checking',
  uploading: 'uploading',
  accepting: 'accepting',
  waiting_for_builder: 'building',
  building: 'building',
  dependency_wait: 'building',
  prerequisite_wait: 'building',
  collecting: 'collecting',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

/** Those that are over in seconds, or are a part of the one before: a PPA takes an upload once it shows it. */
const BRIEF_PHASES: readonly BuildPhase[] = ['checking', 'accepting', 'collecting'];

/** Whether a phase is told by itself where each change costs. */
export function isLongPhase(phase: BuildPhase): boolean {
  return !BRIEF_PHASES.includes(phase);
}

/** The state of a build in a phase: the coarser word, from before there were phases. */
export function stateOfPhase(phase: BuildPhase): BuildState {
  return STATE[phase];
}

/**
 * The phase of a build that the PPA has accepted. One architecture that builds makes it `building`; Dependency wait is
 * its phase only where nothing else is under way.
 *
 * @param hasLater others of its packages are uploaded once what is built is published
 */
export function phaseInPpa(states: readonly BuildRecordState[], hasLater = false): BuildPhase {
  if (states.some((state) => state === 'building' || state === 'unknown')) return 'building';
  if (states.length === 0 || states.includes('waiting')) return 'waiting_for_builder';
  // Where all have ended, the verdict or the publication is about to come.
  if (states.includes('dependency_wait')) return 'dependency_wait';
  return hasLater && states.includes('completed') ? 'prerequisite_wait' : 'building';
}

/** How a build has ended. */
export type FinalPhase = Extract<BuildPhase, 'completed' | 'failed' | 'cancelled'>;

/** The phase of a build that has ended. */
export function finalPhase(failure: Pick<Failure, 'class'> | null | undefined): FinalPhase {
  if (!failure) return 'completed';
  return failure.class === 'cancelled' ? 'cancelled' : 'failed';
}

/** A phase as people read it: `waiting for builder`. */
export function phaseWords(phase: BuildPhase): string {
  return phase.replaceAll('_', ' ');
}
