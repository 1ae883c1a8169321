import { checkStale, noteTarget } from '../../../activities/landing/target-versions.ts';
import type { Pocket } from '../../../domain/packages/archive.ts';
import type { TestRunReason } from '../../../domain/testing/test-run.ts';
import { archivesInMemory, SOURCE, type Publication } from './archives-in-memory.ts';

const TARGET = { archive: 'ubuntu', series: 'noble', pocket: 'Proposed' };
const has = (version: string, pocket: Pocket): Publication => ({
  archive: { distribution: 'ubuntu' },
  series: 'noble',
  pocket,
  version,
  status: 'Published',
  binaries: [],
});

/**
 * What a landing finds moved that has noted its target.
 *
 * @param reason why the source is tested, in version 1.1
 * @param noted what the target has of it then
 * @param since what it has got since
 */
async function movedSince(reason: TestRunReason, noted: Publication[], ...since: Publication[]) {
  const landing = {
    packages: [{ source: reason === 'changed' ? SOURCE : 'libhello' }],
    targetVersions: null as Readonly<Record<string, string | null>> | null,
    keepTargetVersions: async (versions: Readonly<Record<string, string | null>>) => {
      landing.targetVersions = versions;
    },
  };
  const runs = [{ source: SOURCE, version: '1.1', reason }];
  const database = {
    Landing: { findByPk: async () => landing },
    TestRun: { findAll: async () => runs },
  } as unknown as Parameters<typeof noteTarget>[0]['database'];
  const images = [{ architecture: 'amd64', imageId: 2, baseImageId: 1 }];
  const asked = { landingId: 1, target: TARGET };
  await noteTarget({ database, ppaClient: archivesInMemory(noted) })({
    ...asked,
    attempt: 1,
    images,
  });
  const ppaClient = archivesInMemory([...noted, ...since]);
  const { moved } = await checkStale({ database, ppaClient })(asked);
  return moved.filter(({ source }) => source === SOURCE);
}

describe.each(['depends', 'triggered', 'suite'] as const)(
  'a source that is tested because of "%s"',
  (reason) => {
    test.each(['Proposed', 'Backports'] as const)(
      'has not moved where %s has a newer version, from which no image is made',
      async (pocket) => {
        const release = has('1.1', 'Release');
        expect(await movedSince(reason, [release, has('1.2', pocket)])).toEqual([]);
        expect(await movedSince(reason, [release], has('1.2', pocket))).toEqual([]);
      },
    );

    test.each(['Security', 'Updates'] as const)('has moved where %s gets one', async (pocket) => {
      expect(await movedSince(reason, [has('1.1', 'Release')], has('1.2', pocket))).toEqual([
        { source: SOURCE, was: '1.1', is: '1.2' },
      ]);
    });
  },
);

test('a dependent has moved of which the target has had a newer version than the image', async () => {
  expect(await movedSince('depends', [has('1.1', 'Release'), has('1.2', 'Updates')])).toEqual([
    { source: SOURCE, was: '1.1', is: '1.2' },
  ]);
});

test('a changed source has moved in whatever pocket', async () => {
  expect(await movedSince('changed', [has('1.0', 'Release')], has('1.2', 'Proposed'))).toEqual([
    { source: SOURCE, was: '1.0', is: '1.2' },
  ]);
});
