import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  type TimeoutType,
} from '@temporalio/common';
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

describe('the hint of an upload that never got through', () => {
  const hintOf = (cause: Error) =>
    failureOfActivity(
      new ActivityFailure('gave up', 'uploadSource', '1', 'TIMEOUT', '', cause),
      'upload_failed',
    ).hint;
  const failed = (type: string) => ApplicationFailure.create({ type, message: 'GET …: 503' });
  const late = (lastFault: Error) =>
    Object.assign(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_CLOSE'), { cause: lastFault });

  it.each([
    failed('PpaUnavailableError'),
    failed('ppa_unavailable'),
    failed('PpaAnswerError'),
    late(failed('PpaUnavailableError')),
  ])('names the web service where that was asked last: %o', (cause) => {
    expect(hintOf(cause)).toMatch(
      /^At the last try the PPA's web service did not say .* retry the build later/,
    );
  });

  it.each([failed('Error'), late(failed('Error'))])(
    'names the upload server where a session was the last try: %o',
    (cause) => {
      expect(hintOf(cause)).toBe(
        'The upload server did not take the files: retry the build later.',
      );
    },
  );
});
