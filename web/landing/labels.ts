import type { Criterion } from '../../domain/landings/gate.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { TestsVerdict } from '../../domain/testing/test-verdict.ts';
import { isCancelling } from '../build/cancel-and-retry.ts';
import type { Landing } from '../server/api-types.ts';
import {
  bad,
  byPerson,
  CANCELLING,
  good,
  off,
  runs,
  unclear,
  waits,
  type StateLabel,
} from '../states.ts';
import type { TestSays } from './test-cells.ts';

const PHASES: Record<LandingPhase, StateLabel> = {
  queued: waits('Waiting in line'),
  leasing: waits('Waiting for a PPA'),
  building: runs('Building'),
  imaging: runs('Making the image'),
  testing: runs('Testing'),
  approving: byPerson('Waiting for an approval'),
  publishing: runs('Publishing'),
  complete: good('Landed'),
  failed: bad(),
  cancelled: off(),
};

/** How a phase of a landing is shown. */
export function phaseLabel(phase: LandingPhase): StateLabel {
  return PHASES[phase];
}

const PAUSED: StateLabel = { tone: 'warn', icon: 'blocked', word: 'Paused' };

type LandingState = Pick<
  Landing,
  'phase' | 'finished_at' | 'cancel_requested_at' | 'paused_by' | 'decision'
>;

/** How a landing is shown. */
export function landingLabel(landing: LandingState): StateLabel {
  const { phase, decision } = landing;
  if (isCancelling(landing)) return CANCELLING;
  if (landing.finished_at === null && landing.paused_by !== null) return PAUSED;
  if (phase === 'approving' && decision)
    return runs(decision.decision === 'approve' ? 'Approved' : 'Rejected');
  return phaseLabel(phase);
}

const PARTS: Record<Landing['parts'][number]['state'], StateLabel> = {
  waiting: waits(),
  building: runs('Building'),
  built: good('Built'),
  failed: bad(),
  not_built: off('Not built'),
  published: good('Published'),
};

/** How a package of a landing is shown. */
export function partLabel(state: Landing['parts'][number]['state']): StateLabel {
  return PARTS[state];
}

const CRITERIA: Record<Criterion['state'], StateLabel> = {
  met: good('Met'),
  not_met: bad('Not met'),
  waiting: waits(),
  overridden: byPerson('Overridden'),
  not_needed: off('Not needed'),
};

/** How a criterion of a gate is shown. */
export function criterionLabel(state: Criterion['state']): StateLabel {
  return CRITERIA[state];
}

const GATES: Record<TestsVerdict, StateLabel> = {
  passes: good('May be published'),
  waits: waits('Waits'),
  needs_approval: byPerson('Needs an approval'),
  blocked: bad('Blocked'),
  cannot_tell: unclear('Cannot tell'),
};

/** How what a gate says as a whole is shown. */
export function gateLabel(verdict: TestsVerdict): StateLabel {
  return GATES[verdict];
}

const TESTS: Record<TestSays, StateLabel> = {
  regression: bad('Regression'),
  cannot_tell: unclear('Cannot tell'),
  waiting: waits(),
  not_exercised: unclear('Not exercised'),
  always_failed: { tone: 'off', icon: 'failed', word: 'Always failed' },
  flaky: { tone: 'warn', icon: 'warning', word: 'Flaky' },
  overridden: byPerson('Overridden'),
  skipped: off('Skipped'),
  neutral: off('Nothing tested'),
  improvement: good('Passes now'),
  pass: good('Pass'),
  queued: waits(),
  running: runs('Running'),
  bed_failed: { tone: 'warn', icon: 'warning', word: 'Test bed failed' },
  unavailable: unclear('No source'),
  cancelled: off(),
  fails: { tone: 'warn', icon: 'warning', word: 'Fails' },
};

/** How what tests say is shown. */
export function testLabel(says: TestSays): StateLabel {
  return TESTS[says];
}
