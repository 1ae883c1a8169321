import {
  buildRecordState,
  judgeBuildRecords,
  LAUNCHPAD_BUILD_STATES,
  saysNothingOfSource,
  type BuildRecord,
} from '../../../domain/builds/build-state.ts';

const record = (buildState: string, architecture = 'amd64'): BuildRecord => ({
  package: 'hello',
  version: '1.0-1',
  architecture,
  buildState,
  selfLink: 'http://lp/devel/build/1',
  webLink: 'http://lp/build/1',
  buildLogUrl: null,
  uploadLogUrl: null,
  dependencies: null,
  canBeCancelled: false,
  startedAt: null,
  builtAt: null,
});

describe('build states', () => {
  test("each of Launchpad's states is known; another is not", () => {
    expect(LAUNCHPAD_BUILD_STATES.map(buildRecordState)).not.toContain('unknown');
    expect(buildRecordState('Frobnicating')).toBe('unknown');
  });

  test.each([
    ['nothing seen yet', [], 'active'],
    ['one built', ['Successfully built'], 'completed'],
    ['one built, one building', ['Successfully built', 'Currently building'], 'active'],
    ['one failed, one building', ['Failed to build', 'Currently building'], 'active'],
    ['one failed, one built', ['Failed to build', 'Successfully built'], 'failed'],
    ['built but still uploading', ['Uploading build'], 'active'],
    ['all cancelled', ['Cancelled build', 'Cancelled build'], 'failed'],
    ['a state that nobody knows', ['Successfully built', 'Frobnicating'], 'active'],
    ['waiting for dependencies', ['Dependency wait'], 'active'],
  ])('%s: %j is %s', (_, states, verdict) => {
    expect(
      judgeBuildRecords(
        states.map((state) => record(state)),
        false,
      ).state,
    ).toBe(verdict);
  });

  test.each([
    ['Failed to build', 'build_failed'],
    ['Chroot problem', 'chroot_problem'],
    ['Failed to upload', 'publish_failed'],
    ['Cancelled build', 'cancelled'],
    ['Build for superseded Source', 'superseded'],
    ['Dependency wait', 'dependency_wait'],
  ])('%s fails as %s, naming package and architecture', (state, failureClass) => {
    expect(judgeBuildRecords([record(state, 'riscv64')], true)).toMatchObject({
      state: 'failed',
      failure: { class: failureClass, package: 'hello', architecture: 'riscv64' },
    });
  });

  test('what was cancelled in the PPA was not by this attempt, and a retry can help', () => {
    expect(judgeBuildRecords([record('Cancelled build')], false)).toMatchObject({
      failure: {
        retryable: true,
        message: 'hello 1.0-1 on amd64 was cancelled in the PPA, and not by this attempt',
        hint: expect.stringMatching(/^Another request, .* retry the build if it is still wanted/),
      },
    });
  });

  test.each([
    ['Cancelled build', 'Failed to build', 'build_failed'],
    ['Chroot problem', 'Failed to build', 'build_failed'],
    ['Failed to upload', 'Failed to build', 'build_failed'],
    ['Cancelled build', 'Failed to upload', 'publish_failed'],
    ['Chroot problem', 'Build for superseded Source', 'superseded'],
    ['Cancelled build', 'Chroot problem', 'chroot_problem'],
    ['Dependency wait', 'Cancelled build', 'cancelled'],
  ])('of %s and %s the latter counts, in whichever order', (other, counts, failureClass) => {
    const failure = { class: failureClass, architecture: 'arm64' };
    const records = [record(other, 'amd64'), record('Successfully built'), record(counts, 'arm64')];
    for (const ordered of [records, records.toReversed()])
      expect(judgeBuildRecords(ordered, true)).toMatchObject({ state: 'failed', failure });
  });

  test('of two that failed alike, the first counts', () => {
    const records = ['amd64', 'arm64'].map((name) => record('Failed to build', name));
    expect(judgeBuildRecords(records, true)).toMatchObject({ failure: { architecture: 'amd64' } });
  });
});

test('what says nothing of a source is what may be built when it is tried again', () => {
  const states = LAUNCHPAD_BUILD_STATES.filter((buildState) => saysNothingOfSource({ buildState }));
  expect(states).toEqual([
    'Dependency wait',
    'Chroot problem',
    'Failed to upload',
    'Cancelled build',
  ]);
});
