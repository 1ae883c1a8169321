import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { FailureClass } from '../../domain/builds/failure.ts';
import { ERRORS, isErrorCode } from '../../domain/errors.ts';
import {
  landingFailureOf,
  type LandingFailure,
  type LandingFailureClass,
} from '../../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { failureOfTester } from './tester-failure.ts';

/** Why a landing fails in a phase whose activity has failed for good. */
export function failureOfActivity(failure: ActivityFailure, phase: LandingPhase): LandingFailure {
  const { cause, message } = failure;
  const ofTester = failureOfTester(failure);
  if (ofTester) return landingFailureOf(ofTester, phase, cause?.message ?? message);
  if (phase === 'publishing' && cause instanceof TimeoutFailure)
    return landingFailureOf('copy_not_seen', phase, 'the target did not answer in time');
  return landingFailureOf(classOf(cause), phase, cause?.message ?? message);
}

function classOf(cause: unknown): LandingFailureClass {
  if (!(cause instanceof ApplicationFailure && isErrorCode(cause.type))) return 'internal';
  const { failureClass } = ERRORS[cause.type] as { failureClass?: FailureClass };
  return failureClass === 'dependency_cycle' || failureClass === 'invalid_source'
    ? failureClass
    : 'internal';
}
