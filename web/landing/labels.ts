import type { Criterion } from '../../domain/gate.ts';
import type { LandingPhase } from '../../domain/landing-phase.ts';
import type { TestsVerdict } from '../../domain/test-verdict.ts';
import type { Landing } from '../server/api-types.ts';
import type { StateLabel } from '../states.ts';
import type { TestSays } from './test-cells.ts';

const PHASES: Record<LandingPhase, StateLabel> = {
  queued: { tone: 'idle', icon: 'queued', word: 'Waiting in line' },
  leasing: { tone: 'idle', icon: 'queued', word: 'Waiting for a PPA' },
  building: { tone: 'busy', icon: 'running', word: 'Building' },
  imaging: { tone: 'busy', icon: 'running', word: 'Making the image' },
  testing: { tone: 'busy', icon: 'running', word: 'Testing' },
  approving: { tone: 'warn', icon: 'person', word: 'Waiting for an approval' },
  publishing: { tone: 'busy', icon: 'running', word: 'Publishing' },
  complete: { tone: 'ok', icon: 'done', word: 'Landed' },
  failed: { tone: 'bad', icon: 'failed', word: 'Failed' },
  cancelled: { tone: 'off', icon: 'cancelled', word: 'Cancelled' },
};

/** How a phase of a landing is shown. */
export function phaseLabel(phase: LandingPhase): StateLabel {
  return PHASES[phase];
}

/** How a landing is shown. */
export function landingLabel({
  phase,
  finished_at: finishedAt,
  cancel_requested_at: cancelRequestedAt,
  decision,
}: Pick<Landing, 'phase' | 'finished_at' | 'cancel_requested_at' | 'decision'>): StateLabel {
  if (finishedAt === null && cancelRequestedAt !== null)
    return { tone: 'off', icon: 'running', word: 'Cancelling' };
  if (phase === 'approving' && decision)
    return {
      tone: 'busy',
      icon: 'running',
      word: decision.decision === 'approve' ? 'Approved' : 'Rejected',
    };
  return phaseLabel(phase);
}

const PARTS: Record<Landing['parts'][number]['state'], StateLabel> = {
  waiting: { tone: 'idle', icon: 'queued', word: 'Waiting' },
  building: { tone: 'busy', icon: 'running', word: 'Building' },
  built: { tone: 'ok', icon: 'done', word: 'Built' },
  failed: { tone: 'bad', icon: 'failed', word: 'Failed' },
  not_built: { tone: 'off', icon: 'cancelled', word: 'Not built' },
  published: { tone: 'ok', icon: 'done', word: 'Published' },
};

/** How a package of a landing is shown. */
export function partLabel(state: Landing['parts'][number]['state']): StateLabel {
  return PARTS[state];
}
const CRITERIA: Record<Criterion['state'], StateLabel> = {
  met: { tone: 'ok', icon: 'done', word: 'Met' },
  not_met: { tone: 'bad', icon: 'failed', word: 'Not met' },
  waiting: { tone: 'idle', icon: 'queued', word: 'Waiting' },
  overridden: { tone: 'warn', icon: 'person', word: 'Overridden' },
  not_needed: { tone: 'off', icon: 'cancelled', word: 'Not needed' },
};

/** How a criterion of a gate is shown. */
export function criterionLabel(state: Criterion['state']): StateLabel {
  return CRITERIA[state];
}

const GATES: Record<TestsVerdict, StateLabel> = {
  passes: { tone: 'ok', icon: 'done', word: 'May be published' },
  waits: { tone: 'idle', icon: 'queued', word: 'Waits' },
  needs_approval: { tone: 'warn', icon: 'person', word: 'Needs an approval' },
  blocked: { tone: 'bad', icon: 'failed', word: 'Blocked' },
  cannot_tell: { tone: 'warn', icon: 'unknown', word: 'Cannot tell' },
};

/** How what a gate says as a whole is shown. */
export function gateLabel(verdict: TestsVerdict): StateLabel {
  return GATES[verdict];
}

const TESTS: Record<TestSays, StateLabel> = {
  regression: { tone: 'bad', icon: 'failed', word: 'Regression' },
  cannot_tell: { tone: 'warn', icon: 'unknown', word: 'Cannot tell' },
  waiting: { tone: 'idle', icon: 'queued', word: 'Waiting' },
  not_exercised: { tone: 'warn', icon: 'unknown', word: 'Not exercised' },
  always_failed: { tone: 'off', icon: 'failed', word: 'Always failed' },
  flaky: { tone: 'warn', icon: 'warning', word: 'Flaky' },
  overridden: { tone: 'warn', icon: 'person', word: 'Overridden' },
  skipped: { tone: 'off', icon: 'cancelled', word: 'Skipped' },
  neutral: { tone: 'off', icon: 'cancelled', word: 'Nothing tested' },
  improvement: { tone: 'ok', icon: 'done', word: 'Passes now' },
  pass: { tone: 'ok', icon: 'done', word: 'Pass' },
  queued: { tone: 'idle', icon: 'queued', word: 'Waiting' },
  running: { tone: 'busy', icon: 'running', word: 'Running' },
  bed_failed: { tone: 'warn', icon: 'warning', word: 'Test bed failed' },
  unavailable: { tone: 'warn', icon: 'unknown', word: 'No source' },
  cancelled: { tone: 'off', icon: 'cancelled', word: 'Cancelled' },
  fails: { tone: 'warn', icon: 'warning', word: 'Fails' },
};

/** How what tests say is shown. */
export function testLabel(says: TestSays): StateLabel {
  return TESTS[says];
}
