import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { SETTINGS } from '../../main/config/config.ts';
import { tooLong } from '../../workflows/failure-texts.ts';
import { BUILD_LIMITS } from '../support/build-limits.ts';

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
    const record: BuildRecord = {
      package: 'hello',
      version: '2.10-3',
      architecture: 'amd64',
      buildState: state,
      selfLink: 'https://api.launchpad.net/build/1',
      webLink: 'https://launchpad.net/build/1',
      buildLogUrl: null,
      uploadLogUrl: null,
      dependencies: null,
      canBeCancelled: true,
      startedAt: null,
      builtAt: null,
    };
    const failure = tooLong({ ...BUILD_LIMITS, wholeBuildMs: DAY_MS }, [record]);
    expect(failure).toMatchObject({ class: 'timed_out', message: text });
    expect(failure.hint).toContain('Retry the build');
    expect(SETTINGS.map(({ setting }) => setting.variable)).toContain('AIRLINE_WHOLE_BUILD_MS');
  },
);
