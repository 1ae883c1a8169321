import { isCancelling } from './build/cancel-and-retry.ts';
import type {
  ArchitectureBuild,
  Attempt,
  Build,
  BuildRecord,
  Failure,
} from './server/api-types.ts';
import type { IconName } from './components/icon-name.ts';
import type { BuildPhase } from '../domain/builds/build-phase.ts';
import { CANCELLED_BUILD, type BuildRecordState } from '../domain/builds/build-state.ts';
import { STEP, stepName, stepToShow, type StepValue } from '../domain/tickets/ticket.ts';

/** What a state means to the reader: it sets the colour. */
export type Tone = 'idle' | 'busy' | 'ok' | 'bad' | 'warn' | 'off';
/** How a state is shown: never by its colour alone. */
export type StateLabel = { tone: Tone; icon: IconName; word: string };

/** It waits its turn. */
export const waits = (word = 'Waiting'): StateLabel => ({ tone: 'idle', icon: 'queued', word });
/** It is under way. */
export const runs = (word: string): StateLabel => ({ tone: 'busy', icon: 'running', word });
/** It is as it should be. */
export const good = (word: string): StateLabel => ({ tone: 'ok', icon: 'done', word });
/** It is not as it should be. */
export const bad = (word = 'Failed'): StateLabel => ({ tone: 'bad', icon: 'failed', word });
/** It has ended, or was left out, and nobody has to mind. */
export const off = (word = 'Cancelled'): StateLabel => ({ tone: 'off', icon: 'cancelled', word });
/** A person has decided, or has to. */
export const byPerson = (word: string): StateLabel => ({ tone: 'warn', icon: 'person', word });
/** Nobody can tell. */
export const unclear = (word: string): StateLabel => ({ tone: 'warn', icon: 'unknown', word });

/** How a workflow step is shown. */
function stepLabel(step: StepValue): StateLabel {
  const word = stepName(step);
  switch (step) {
    case STEP.queued:
      return waits(word);
    case STEP.failed:
      return bad(word);
    case STEP.complete:
      return good(word);
    default:
      return { tone: 'busy', icon: 'underway', word };
  }
}

/** How a ticket or a subticket is shown: as failed also where its status alone says so. */
export function positionLabel(shown: Parameters<typeof stepToShow>[0]): StateLabel {
  return stepLabel(stepToShow(shown));
}

/** How a step of the past is shown; of what had failed by its status alone, that it had, too. */
export function pastStepLabel(step: StepValue, status: string): StateLabel {
  return stepToShow({ current_workflow_step: step, status }) === step
    ? stepLabel(step)
    : bad(`${stepName(step)}, failed`);
}

const CANCELLED = off();
/** It is being cancelled. */
export const CANCELLING: StateLabel = { tone: 'off', icon: 'running', word: 'Cancelling' };
const DEPENDENCY_WAIT: StateLabel = { tone: 'warn', icon: 'blocked', word: 'Dependency wait' };

const PHASE: Record<BuildPhase, StateLabel> = {
  queued: waits('Queued'),
  merging: runs('Merging'),
  checking: runs('Checking'),
  uploading: runs('Uploading'),
  accepting: waits('Waiting for acceptance'),
  waiting_for_builder: waits('Waiting for a builder'),
  building: runs('Building'),
  dependency_wait: DEPENDENCY_WAIT,
  prerequisite_wait: waits('Waiting for publication'),
  collecting: runs('Collecting logs'),
  completed: good('Completed'),
  failed: bad(),
  cancelled: CANCELLED,
};

/** How a phase, or a state, of builds is shown. */
export function phaseLabel(phase: BuildPhase): StateLabel {
  return PHASE[phase] ?? unclear(phase);
}

/** How a build, or an attempt of one, is shown. An attempt has no phase. */
export function buildLabel(
  build: Pick<Attempt, 'state' | 'finished_at' | 'cancel_requested_at'> &
    Partial<Pick<Build, 'phase'>> & { failure: Pick<Failure, 'class'> | null },
): StateLabel {
  if (build.failure?.class === 'cancelled') return CANCELLED;
  if (isCancelling(build)) return CANCELLING;
  return phaseLabel(build.phase ?? build.state);
}

const ARCHITECTURE: Record<BuildRecordState, StateLabel> = {
  waiting: waits(),
  building: runs('Building'),
  dependency_wait: DEPENDENCY_WAIT,
  completed: good('Built'),
  failed: bad(),
  unknown: unclear('Unknown'),
};

/** How the build of one architecture is shown. @param isCancelling the whole build is being cancelled */
export function architectureLabel(
  { state, buildstate }: Pick<ArchitectureBuild, 'state' | 'buildstate'>,
  isCancelling = false,
): StateLabel {
  if (buildstate === CANCELLED_BUILD) return CANCELLED;
  if (isCancelling && (state === 'building' || state === 'waiting')) return CANCELLING;
  return ARCHITECTURE[state] ?? unclear(state);
}

/** How the word of a package's statistics is shown. */
export function outcomeLabel(state: BuildRecord['state']): StateLabel {
  if (state === 'cancelled') return CANCELLED;
  return architectureLabel({ state, buildstate: '' });
}
