import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { ROW_UNKNOWN } from '../../../domain/testing/tester-activities.ts';
import { failureOfActivity } from '../../../workflows/landing/activity-failure.ts';

const AWAY = 'https://api.launchpad.net/devel/ does not answer';
const failed = (activityType: string, type: string, message = AWAY) =>
  new ActivityFailure(
    'gave up',
    activityType,
    '1',
    'TIMEOUT',
    '',
    ApplicationFailure.create({ type, message }),
  );
const timedOut = (activityType: string, lastFault?: Error) => {
  const late = new TimeoutFailure('late', undefined, 'START_TO_CLOSE');
  const cause = lastFault ? Object.assign(late, { cause: lastFault }) : late;
  return new ActivityFailure('gave up', activityType, '1', 'TIMEOUT', '', cause);
};
const classOf = (failure: ActivityFailure, phase: LandingPhase, heedsOutages = true) =>
  failureOfActivity(failure, phase, heedsOutages).class;

describe('the failure of a landing', () => {
  it.each([
    ['PpaUnavailableError', 'checkStale', 'approving'],
    ['ppa_unavailable', 'checkCopies', 'publishing'],
    ['StoreUnavailableError', 'orderBuilds', 'building'],
    // As the reading of a source fails.
    ['Error', 'orderBuilds', 'building'],
  ] as const)(
    'whose service does not answer names it, and can be retried: %s of %s',
    (type, activityType, phase) => {
      expect(failureOfActivity(failed(activityType, type), phase, true)).toMatchObject({
        class: 'service_unavailable',
        retryable: true,
        message: AWAY,
        phase,
      });
    },
  );

  it('whose last question was not answered in time says what was asked', () => {
    expect(
      failureOfActivity(timedOut('pollTarget', new Error(AWAY)), 'publishing', true),
    ).toMatchObject({
      class: 'service_unavailable',
      message: `the target did not answer in time: ${AWAY}`,
    });
    expect(failureOfActivity(timedOut('checkStale'), 'approving', true)).toMatchObject({
      class: 'service_unavailable',
      message: 'the target did not answer in time',
    });
    expect(failureOfActivity(timedOut('orderBuilds'), 'building', true)).toMatchObject({
      class: 'service_unavailable',
      message: 'the host of the sources did not answer in time',
    });
  });

  it.each([
    ['judgeTests', 'testing'],
    ['readPause', 'publishing'],
  ] as const)('is one of Airline where a step is late that asks nobody: %s', (activity, phase) => {
    const late = timedOut(activity, new Error('the database is away'));
    expect(failureOfActivity(late, phase, true)).toMatchObject({
      class: 'internal',
      message: 'a step of it did not end in time: the database is away',
    });
  });

  it.each([
    ['TypeError', 'checkCopies', 'publishing'],
    ['PpaAnswerError', 'checkCopies', 'publishing'],
    ['Error', 'checkCopies', 'publishing'],
    ['TypeError', 'orderBuilds', 'building'],
    ['RangeError', 'orderBuilds', 'building'],
  ] as const)('is one of Airline where nothing is away: %s of %s', (type, activityType, phase) => {
    expect(classOf(failed(activityType, type), phase)).toBe('internal');
  });

  it('is that of the catalogue, or of the tester, where one names it', () => {
    expect(classOf(failed('orderBuilds', 'dependency_cycle'), 'building')).toBe('dependency_cycle');
    expect(classOf(timedOut('makeLandingImage'), 'imaging')).toBe('image_failed');
  });

  it.each([
    ['makeLandingImage', 'imaging', 'image_failed'],
    ['planBaselines', 'testing', 'test_bed_failed'],
    ['judgeTests', 'testing', 'test_bed_failed'],
    ['judgeTests', 'approving', 'test_bed_failed'],
  ] as const)(
    'is of its tests where the database does not know them: %s',
    (activity, phase, is) => {
      expect(classOf(failed(activity, ROW_UNKNOWN), phase)).toBe(is);
    },
  );

  it('is told as before in landings of older code', () => {
    expect(classOf(failed('checkCopies', 'PpaUnavailableError'), 'publishing', false)).toBe(
      'internal',
    );
    expect(classOf(timedOut('pollTarget'), 'publishing', false)).toBe('copy_not_seen');
  });
});
