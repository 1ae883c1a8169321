import { SETTINGS } from '../../main/config/config.ts';
import { tooLong } from '../../workflows/failure-texts.ts';
import { BUILD_LIMITS } from '../support/build-limits.ts';
import { buildRecord } from '../support/build-record.ts';

const DAY_MS = 86_400_000;

it.each([
  ['Currently building', 'the build did not end within 1 d (AIRLINE_WHOLE_BUILD_MS)'],
  [
    'Successfully built',
    'all was built, and its binaries were not published within 1 d (AIRLINE_WHOLE_BUILD_MS)',
  ],
] as const)(
  'a build that is out of time while its state is %s names the setting',
  (state, text) => {
    const failure = tooLong({ ...BUILD_LIMITS, wholeBuildMs: DAY_MS }, [
      buildRecord(state, 'amd64'),
    ]);
    expect(failure).toMatchObject({ class: 'timed_out', message: text });
    expect(failure.hint).toContain('Retry the build');
    expect(SETTINGS.map(({ setting }) => setting.variable)).toContain('AIRLINE_WHOLE_BUILD_MS');
  },
);
