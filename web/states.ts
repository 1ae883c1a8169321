import type { ArchitectureBuild, Attempt, Build, BuildRecord } from './server/api-types.ts';
import type { IconName } from './components/icon.tsx';
import type { BuildPhase } from '../domain/build-phase.ts';
import type { BuildRecordState } from '../domain/build-state.ts';
import type { FailureClass } from '../domain/failure.ts';
import { stepName, type StepValue } from '../domain/ticket.ts';

/** What a state means to the reader: it sets the colour. */
type Tone = 'idle' | 'busy' | 'ok' | 'bad' | 'warn' | 'off';
/** How a state is shown: never by its colour alone. */
export type StateLabel = { tone: Tone; icon: IconName; word: string };

/** How a workflow step is shown. */
export function stepLabel(step: StepValue): StateLabel {
  const word = stepName(step);
  switch (step) {
    case '100':
      return { tone: 'idle', icon: 'queued', word };
    case '999':
      return { tone: 'bad', icon: 'failed', word };
    case '1000':
      return { tone: 'ok', icon: 'done', word };
    default:
      return { tone: 'busy', icon: 'underway', word };
  }
}

const CANCELLED: StateLabel = { tone: 'off', icon: 'cancelled', word: 'Cancelled' };
const DEPENDENCY_WAIT: StateLabel = { tone: 'warn', icon: 'blocked', word: 'Dependency wait' };

const PHASE: Record<BuildPhase, StateLabel> = {
  queued: { tone: 'idle', icon: 'queued', word: 'Queued' },
  merging: { tone: 'busy', icon: 'running', word: 'Merging' },
  checking: { tone: 'busy', icon: 'running', word: 'Checking' },
  uploading: { tone: 'busy', icon: 'running', word: 'Uploading' },
  accepting: { tone: 'busy', icon: 'running', word: 'Accepting' },
  waiting_for_builder: { tone: 'idle', icon: 'queued', word: 'Waiting for a builder' },
  building: { tone: 'busy', icon: 'running', word: 'Building' },
  dependency_wait: DEPENDENCY_WAIT,
  prerequisite_wait: { tone: 'idle', icon: 'queued', word: 'Waiting for publication' },
  collecting: { tone: 'busy', icon: 'running', word: 'Collecting logs' },
  completed: { tone: 'ok', icon: 'done', word: 'Completed' },
  failed: { tone: 'bad', icon: 'failed', word: 'Failed' },
  cancelled: CANCELLED,
};

/** How a phase, or a state, of builds is shown. */
export function phaseLabel(phase: BuildPhase): StateLabel {
  return PHASE[phase] ?? unknown(phase);
}

/** How a build, or an attempt of one, is shown. An attempt has no phase. */
export function buildLabel({
  phase,
  state,
  failure,
  finished_at: finishedAt,
  cancel_requested_at: cancelRequestedAt,
}: Pick<Attempt, 'state' | 'failure' | 'finished_at' | 'cancel_requested_at'> &
  Partial<Pick<Build, 'phase'>>): StateLabel {
  if (failure?.class === ('cancelled' satisfies FailureClass)) return CANCELLED;
  if (finishedAt === null && cancelRequestedAt !== null)
    return { tone: 'off', icon: 'running', word: 'Cancelling' };
  return phaseLabel(phase ?? state);
}

const ARCHITECTURE: Record<BuildRecordState, StateLabel> = {
  waiting: { tone: 'idle', icon: 'queued', word: 'Waiting' },
  building: { tone: 'busy', icon: 'running', word: 'Building' },
  dependency_wait: DEPENDENCY_WAIT,
  completed: { tone: 'ok', icon: 'done', word: 'Built' },
  failed: { tone: 'bad', icon: 'failed', word: 'Failed' },
  unknown: { tone: 'warn', icon: 'unknown', word: 'Unknown' },
};

/** How the build of one architecture is shown. */
export function architectureLabel({
  state,
  buildstate,
}: Pick<ArchitectureBuild, 'state' | 'buildstate'>): StateLabel {
  if (buildstate === 'Cancelled build') return CANCELLED;
  return ARCHITECTURE[state] ?? unknown(state);
}

/** How the word of a package's statistics is shown. */
export function outcomeLabel(state: BuildRecord['state']): StateLabel {
  if (state === 'cancelled') return CANCELLED;
  return architectureLabel({ state, buildstate: '' });
}

function unknown(state: string): StateLabel {
  return { tone: 'warn', icon: 'unknown', word: state };
}
