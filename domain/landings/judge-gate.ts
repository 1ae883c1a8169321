import { criteriaOf } from './gate-criteria.ts';
import type { GateInput } from './gate-input.ts';
import { CRITERION_STATES, type Criterion, type Gate } from './gate.ts';

/** Whether a landing may be published, with each criterion: what stops it first. */
export function judgeGate(input: GateInput): Gate {
  const criteria = criteriaOf(input).toSorted(
    (one, other) => CRITERION_STATES.indexOf(one.state) - CRITERION_STATES.indexOf(other.state),
  );
  return {
    landing_id: input.landingId,
    verdict: verdictOf(input, criteria),
    criteria,
    estimate: input.estimate,
    tests: input.tests,
    excuses: input.excuses,
  };
}

function verdictOf(
  { phase, failure, testsVerdict }: GateInput,
  criteria: readonly Criterion[],
): Gate['verdict'] {
  const namesOf = (state: Criterion['state']) =>
    criteria.filter((one) => one.state === state).map(({ name }) => name);
  const stops = namesOf('not_met');
  const waits = namesOf('waiting');
  // The target comes last: what waits for nothing else may be published.
  const isAsked =
    phase === 'approving' && waits.every((name) => /^(?:approval|target)$/.test(name));
  const isTestsAlone = !failure && stops.every((name) => name === 'tests');
  if (stops.length > 0 && !isTestsAlone) return 'blocked';
  if (stops.length > 0 && testsVerdict === 'blocked') return 'blocked';
  if (waits.includes('approval') && isAsked) return 'needs_approval';
  if (stops.length > 0) return testsVerdict === 'cannot_tell' ? 'cannot_tell' : 'needs_approval';
  return waits.some((name) => name !== 'target') ? 'waits' : 'passes';
}
