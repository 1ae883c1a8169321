import { ApplicationFailure, TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { LandingFailureClass } from '../../domain/landing-failure.ts';

/** Whether no tester has taken an activity in time. */
export function isUntaken({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** Why a landing fails whose tester has failed it; undefined of activities that no tester does. */
export function failureOfTester(failure: ActivityFailure): LandingFailureClass | undefined {
  const failureClass = CLASSES.get(failure.activityType);
  if (failureClass === undefined) return undefined;
  if (isUntaken(failure)) return 'no_tester';
  const { cause } = failure;
  const isUninstallable = cause instanceof ApplicationFailure && cause.type === 'uninstallable';
  return isUninstallable ? 'uninstallable' : failureClass;
}

const CLASSES: ReadonlyMap<string, LandingFailureClass> = new Map([
  ['makeBaseImage', 'image_failed'],
  ['makeLandingImage', 'image_failed'],
  ['planTests', 'test_bed_failed'],
  ['planBaselines', 'test_bed_failed'],
  ['runTest', 'test_bed_failed'],
]);
