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

/** What an activity fails with at last where Launchpad or the data store does not answer. */
const OUTAGES = ['PpaUnavailableError', 'ppa_unavailable', 'StoreUnavailableError'];

/**
 * Why a landing fails in a phase whose activity has failed for good.
 *
 * @param heedsOutages tells apart that a service is away; older code did not
 */
export function failureOfActivity(
  failure: ActivityFailure,
  phase: LandingPhase,
  heedsOutages: boolean,
): LandingFailure {
  const { cause, message, activityType } = failure;
  const why = cause?.message ?? message;
  const ofTester = failureOfTester(failure);
  if (ofTester) return landingFailureOf(ofTester, phase, why);
  const isLate = cause instanceof TimeoutFailure;
  if (heedsOutages && isLate) {
    const lastFault = cause.cause ? `: ${cause.cause.message}` : '';
    const late = `${activityType} did not end in time${lastFault}`;
    return landingFailureOf('service_unavailable', phase, late);
  }
  if (phase === 'publishing' && isLate)
    return landingFailureOf('copy_not_seen', phase, 'the target did not answer in time');
  const failureClass = classOf(cause);
  const isOutage = heedsOutages && failureClass === 'internal' && isOfOutage(failure);
  return landingFailureOf(isOutage ? 'service_unavailable' : failureClass, phase, why);
}

/** Whether a service that an activity needs is away; the host of the sources may fail in any way. */
function isOfOutage({ activityType, cause }: ActivityFailure): boolean {
  if (!(cause instanceof ApplicationFailure)) return false;
  return (
    OUTAGES.includes(cause.type ?? '') ||
    (activityType === 'orderBuilds' && !isErrorCode(cause.type))
  );
}

function classOf(cause: unknown): LandingFailureClass {
  if (!(cause instanceof ApplicationFailure && isErrorCode(cause.type))) return 'internal';
  const { failureClass } = ERRORS[cause.type] as { failureClass?: FailureClass };
  return failureClass === 'dependency_cycle' || failureClass === 'invalid_source'
    ? failureClass
    : 'internal';
}
