import { ActivityFailure, TimeoutFailure, type TimeoutType } from '@temporalio/common';
import { SETTINGS } from '../../main/config/config.ts';
import { failureOfActivity } from '../../workflows/activity-failure.ts';

const timedOut = (activityType: string, timeout: TimeoutType) => {
  const late = new TimeoutFailure('late', undefined, timeout);
  return new ActivityFailure('gave up', activityType, '1', 'TIMEOUT', '', late);
};

describe('the failure of a step that is out of time', () => {
  it.each([
    ['checkSources', 'the check of the sources'],
    ['mergeProposal', 'the merge of the proposal'],
  ])(
    'says what %s does, and names the setting of a try that took all of its time',
    (step, does) => {
      const { message } = failureOfActivity(timedOut(step, 'START_TO_CLOSE'), 'timed_out');
      expect(message).toBe(`${does} did not end in time (AIRLINE_SOURCE_CHECK_MS)`);
      expect(SETTINGS.map(({ setting }) => setting.variable)).toContain('AIRLINE_SOURCE_CHECK_MS');
    },
  );

  it('names no setting where its worker fell silent, or none took it', () => {
    expect(failureOfActivity(timedOut('checkSources', 'HEARTBEAT'), 'timed_out').message).toBe(
      'the check of the sources did not end in time',
    );
    expect(
      failureOfActivity(timedOut('uploadSource', 'SCHEDULE_TO_START'), 'upload_failed').message,
    ).toBe('no worker took the upload');
  });
});
