import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import { landingFailureOf, type LandingFailure } from '../../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { failureOfTester } from './tester-failure.ts';

/** Why a landing fails in a phase whose activity has failed for good. */
export function failureOfActivity(failure: ActivityFailure, phase: LandingPhase): LandingFailure {
  const { cause, message } = failure;
  const isCycle = cause instanceof ApplicationFailure && cause.type === 'dependency_cycle';
  const ofTester = failureOfTester(failure);
  if (ofTester) return landingFailureOf(ofTester, phase, cause?.message ?? message);
  if (phase === 'publishing' && cause instanceof TimeoutFailure)
    return landingFailureOf('copy_not_seen', phase, 'the target did not answer in time');
  return landingFailureOf(
    isCycle ? 'dependency_cycle' : 'internal',
    phase,
    cause?.message ?? message,
  );
}
