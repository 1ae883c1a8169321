import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { LandingFailureClass } from '../../domain/landings/landing-failure.ts';
import { UNINSTALLABLE } from '../../domain/testing/tester-activities.ts';

/** Whether no tester has taken an activity in time. */
export function isUntaken({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** Why a landing fails whose tester has failed it; undefined of activities that no tester does. */
export function failureOfTester(failure: ActivityFailure): LandingFailureClass | undefined {
  const failureClass = classOf(failure.activityType);
  if (failureClass === undefined) return undefined;
  if (isUntaken(failure)) return 'no_tester';
  const { cause } = failure;
  const isUninstallable = cause instanceof ApplicationFailure && cause.type === UNINSTALLABLE;
  return isUninstallable ? 'uninstallable' : failureClass;
}

function classOf(activityType: string): LandingFailureClass | undefined {
  switch (activityType) {
    case 'makeBaseImage':
    case 'makeLandingImage':
      return 'image_failed';
    case 'planTests':
    case 'planBaselines':
    case 'runTest':
      return 'test_bed_failed';
    default:
      return undefined;
  }
}
