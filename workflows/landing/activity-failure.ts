import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { FailureClass } from '../../domain/builds/failure.ts';
import { ERRORS, isErrorCode } from '../../domain/errors.ts';
import {
  landingFailureOf,
  type LandingFailure,
  type LandingFailureClass,
} from '../../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { PPA_OUTAGES } from '../activity-failure.ts';
import { failureOfTester } from './tester-failure.ts';

/** What an activity fails with at last where Launchpad or the data store does not answer. */
const OUTAGES = [...PPA_OUTAGES, 'StoreUnavailableError'];

/** What the activities ask that need others than the database, as people call it. */
const ASKED: Readonly<Record<string, string>> = {
  orderBuilds: 'the host of the sources',
  noteTarget: 'the target',
  checkStale: 'the target',
  checkCopies: 'the target',
  copyPackage: 'the target',
  pollTarget: 'the target',
  pollTargets: 'the target',
};

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
    const asked = ASKED[activityType];
    return asked === undefined
      ? landingFailureOf('internal', phase, `a step of it did not end in time${lastFault}`)
      : landingFailureOf(
          'service_unavailable',
          phase,
          `${asked} did not answer in time${lastFault}`,
        );
  }
  if (phase === 'publishing' && isLate)
    return landingFailureOf('copy_not_seen', phase, 'the target did not answer in time');
  const failureClass = classOf(cause);
  const isOutage = heedsOutages && failureClass === 'internal' && isOfOutage(failure);
  return landingFailureOf(isOutage ? 'service_unavailable' : failureClass, phase, why);
}

/** Whether a service that an activity needs is away: a fault of the host of the sources has no name of its own. */
function isOfOutage({ activityType, cause }: ActivityFailure): boolean {
  if (!(cause instanceof ApplicationFailure)) return false;
  return (
    OUTAGES.includes(cause.type ?? '') || (activityType === 'orderBuilds' && cause.type === 'Error')
  );
}

function classOf(cause: unknown): LandingFailureClass {
  if (!(cause instanceof ApplicationFailure && isErrorCode(cause.type))) return 'internal';
  const { failureClass } = ERRORS[cause.type] as { failureClass?: FailureClass };
  return failureClass === 'dependency_cycle' || failureClass === 'invalid_source'
    ? failureClass
    : 'internal';
}
