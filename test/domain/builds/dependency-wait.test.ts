import { buildRecordState } from '../../../domain/builds/build-state.ts';
import { dependencyWaitSince } from '../../../domain/builds/dependency-wait.ts';
import type { ArchitectureBuild } from '../../../domain/builds/progress.ts';

const WAITS = 'Dependency wait';
const BUILDS = 'Currently building';
const BUILT = 'Successfully built';

/** What the PPA shows: a build of each package. */
const showing = (states: Record<string, string>) =>
  Object.entries(states).map(([name, buildstate]) => ({
    package: name,
    version: '1.0',
    architecture: 'amd64',
    state: buildRecordState(buildstate),
  }));

/**
 * What a PPA shows at 1, 2, 3 and so on, and since when the grace counts each time.
 *
 * @param overAt when what waits counted as failed, and later packages were uploaded
 */
function countedSince(
  shown: readonly Record<string, string>[],
  overAt = Infinity,
): (number | null)[] {
  let builds: Pick<ArchitectureBuild, 'package' | 'version' | 'architecture' | 'state'>[] = [];
  let since: number | null = null;
  return shown.map((states, index) => {
    const now = index + 1;
    const isOver = now > overAt;
    since = dependencyWaitSince({ builds, since, isOver }, showing(states), now);
    builds = showing(states);
    return since;
  });
}

describe('the grace of a Dependency wait', () => {
  test('counts from the first look that shows nothing else, for as long as that stays', () => {
    expect(countedSince([{ app: BUILDS }, { app: WAITS }, { app: WAITS }])).toEqual([null, 2, 2]);
    expect(countedSince([{ app: WAITS }, { app: 'Needs building' }])).toEqual([1, null]);
  });

  test('does not count while the request may bring what is missing', () => {
    for (const state of [BUILDS, 'Needs building', 'Uploading build', 'Frobnicating'])
      expect(
        countedSince([
          { lib: state, app: WAITS },
          { lib: state, app: WAITS },
          { lib: BUILT, app: WAITS },
        ]),
      ).toEqual([null, null, 3]);
  });

  test('counts beside what has failed', () => {
    expect(countedSince([{ lib: 'Failed to build', app: WAITS }])).toEqual([1]);
  });

  test('begins anew once one of several has left the wait, however soon that was built', () => {
    expect(
      countedSince([
        { a: BUILT, b: WAITS, c: WAITS },
        { a: BUILT, b: WAITS, c: WAITS },
        { a: BUILT, b: BUILT, c: WAITS },
        { b: BUILT, c: WAITS, a: BUILT },
      ]),
    ).toEqual([1, 1, 3, 3]);
  });

  test('stays over while later packages are built, and begins anew for one of them that waits', () => {
    const shown = [
      { a: WAITS },
      { a: WAITS },
      { a: WAITS, later: BUILDS },
      { a: WAITS, later: BUILT },
      { a: WAITS, later: BUILT, last: BUILDS },
      { a: WAITS, later: BUILT, last: WAITS },
    ];
    expect(countedSince(shown, 2)).toEqual([1, 1, 1, 1, 1, 6]);
  });
});
