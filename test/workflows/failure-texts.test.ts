import { CANCEL_URL_CALLER } from '../../domain/builds/build-workflow.ts';
import { SETTINGS } from '../../main/config/config.ts';
import { cancelled, tooLong } from '../../workflows/failure-texts.ts';
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

it('a build that its cancel URL has cancelled says that a retry asks that URL again', () => {
  const hintFor = (requestedBy: string) =>
    cancelled({ requestedBy, requestedAtMs: 0 }, { state: 'cancelled', left: 'nothing is left' })
      .hint;
  expect(hintFor('ana')).toBe('The build was cancelled: retry it if it is still wanted.');
  expect(hintFor(CANCEL_URL_CALLER)).toMatch(/cancel URL .* a retry asks it again: .* new build/);
});
