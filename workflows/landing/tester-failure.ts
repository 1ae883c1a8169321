import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { LandingFailureClass } from '../../domain/landings/landing-failure.ts';
import { ROW_UNKNOWN, UNINSTALLABLE } from '../../domain/testing/tester-activities.ts';

/** Whether no tester has taken an activity in time. */
export function isUntaken({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/**
 * Why a landing fails whose tester has failed it, or whose tests cannot be judged as the database does not know them;
 * undefined of other activities that no tester does.
 */
export function failureOfTester(failure: ActivityFailure): LandingFailureClass | undefined {
  const { activityType, cause } = failure;
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  const failureClass =
    classOf(activityType) ?? (type === ROW_UNKNOWN ? 'test_bed_failed' : undefined);
  if (failureClass === undefined) return undefined;
  if (isUntaken(failure)) return 'no_tester';
  return type === UNINSTALLABLE ? 'uninstallable' : failureClass;
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
