import { checkStale, noteTarget } from '../../../activities/landing/target-versions.ts';
import { parseArchive, type Archive, type Pocket } from '../../../domain/packages/archive.ts';
import type { TestRunReason } from '../../../domain/testing/test-run.ts';
import { archivesInMemory, SOURCE, type Publication } from './archives-in-memory.ts';

const TARGET = { archive: 'ubuntu', series: 'noble', pocket: 'Proposed' };
const LANDED = '~team/ubuntu/landed';
type Versions = Readonly<Record<string, string | null>>;
const has = (
  version: string,
  pocket: Pocket,
  archive: Archive = { distribution: 'ubuntu' },
  status: Publication['status'] = 'Published',
): Publication => ({
  archive,
  series: 'noble',
  pocket,
  version,
  status,
  binaries: [],
});
const pending = (version: string, pocket: Pocket): Publication =>
  has(version, pocket, undefined, 'Pending');

/**
 * What a landing finds moved that has noted its target.
 *
 * @param reason why the source is tested, in version 1.1
 * @param noted what the target has of it then
 * @param since what it has got since
 */
async function movedSince(reason: TestRunReason, noted: Publication[], ...since: Publication[]) {
  return movedAt({ reason, noted, since });
}

/** What it finds moved of the source. @param scene as noteAndCheck takes it */
async function movedAt(scene: Parameters<typeof noteAndCheck>[0]) {
  const { checked } = await noteAndCheck(scene);
  return checked.moved.filter(({ source }) => source === SOURCE);
}

/**
 * @param target where the landing publishes
 * @param imageTarget the PPA that the base image is made of besides the mirrors
 * @param suites those that each base image is made of; of one that names none, nobody knows
 * @param tested the versions whose tests are run, one for each architecture
 * @param landed the version that it lands
 */
async function noteAndCheck({
  reason,
  noted,
  since = [],
  target = TARGET,
  imageTarget = null,
  suites = [[]],
  tested = ['1.1'],
  landed = '1.1',
}: {
  reason: TestRunReason;
  noted: Publication[];
  since?: Publication[];
  target?: typeof TARGET;
  imageTarget?: string | null;
  suites?: string[][];
  tested?: string[];
  landed?: string;
}) {
  const landing = {
    packages: [{ source: reason === 'changed' ? SOURCE : 'libhello', version: landed }],
    targetVersions: null as Versions | null,
  };
  const runs = tested.map((version) => ({ source: SOURCE, version, reason }));
  const bases = suites.map((names) => ({
    target: imageTarget,
    releases: Object.fromEntries(
      names.map((name) => [`mirror.example/ubuntu/dists/${name}/InRelease`, 'sum']),
    ),
  }));
  const database = {
    Image: { findAll: async () => bases },
    Landing: {
      findByPk: async () => landing,
      keepTargetVersions: async (_: object, versions: Versions) => {
        landing.targetVersions = versions;
      },
    },
    TestRun: { findAll: async () => runs },
  } as unknown as Parameters<typeof noteTarget>[0]['database'];
  const images = [{ architecture: 'amd64', imageId: 2, baseImageId: 1 }];
  const asked = { landingId: 1, target, images };
  const told = await noteTarget({ database, ppaClient: archivesInMemory(noted) })({
    ...asked,
    attempt: 1,
  });
  const ppaClient = archivesInMemory([...noted, ...since]);
  return { told, checked: await checkStale({ database, ppaClient })(asked) };
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

    test('has not moved by what is Pending, which no image has, but once that is published', async () => {
      const release = has('1.1', 'Release');
      expect(await movedSince(reason, [release], pending('1.2', 'Updates'))).toEqual([]);
      const noted = [release, pending('1.2', 'Updates')];
      expect(await movedSince(reason, noted)).toEqual([]);
      expect(await movedSince(reason, noted, has('1.2', 'Updates'))).toEqual([
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

describe('where the images are not made of all pockets', () => {
  const RELEASE = has('1.1', 'Release');
  const WITHOUT_SECURITY = [['noble', 'noble-updates']];
  const noted = async (pocket: Pocket, suites: string[][]) => {
    const scene = { reason: 'depends' as const, landed: '2.0', suites };
    const { told, checked } = await noteAndCheck({
      ...scene,
      noted: [RELEASE, has('1.2', pocket)],
    });
    const later = await noteAndCheck({ ...scene, noted: [RELEASE], since: [has('1.2', pocket)] });
    return [told.behind, checked.moved, later.checked.moved].map((sources) =>
      sources.flatMap(({ source, is }) => (source === SOURCE ? [is] : [])),
    );
  };

  test('a dependent is not behind one that no image can have, and has not moved by it', async () => {
    expect(await noted('Security', WITHOUT_SECURITY)).toEqual([[], [], []]);
    expect(await noted('Updates', WITHOUT_SECURITY)).toEqual([['1.2'], ['1.2'], ['1.2']]);
  });

  test('a pocket counts that the images of all architectures are made of', async () => {
    const all = ['noble', 'noble-updates', 'noble-security'];
    expect(await noted('Security', [all, all])).toEqual([['1.2'], ['1.2'], ['1.2']]);
    expect(await noted('Security', [all, ...WITHOUT_SECURITY])).toEqual([[], [], []]);
  });

  test('a changed source has moved by it all the same: the landing is older for users', async () => {
    const { checked } = await noteAndCheck({
      reason: 'changed',
      noted: [has('1.0', 'Release')],
      since: [has('1.2', 'Security')],
      suites: WITHOUT_SECURITY,
    });
    expect(checked.moved).toMatchObject([{ source: SOURCE, was: '1.0', is: '1.2' }]);
  });
});

test('a changed source has moved where the pocket of the target gets a newer version, or one of the image', async () => {
  const moved = (pocket: Pocket) =>
    movedSince('changed', [has('1.0', 'Release')], has('1.2', pocket));
  for (const pocket of ['Proposed', 'Updates', 'Security'] as const)
    expect(await moved(pocket)).toEqual([{ source: SOURCE, was: '1.0', is: '1.2' }]);
  expect(await moved('Backports')).toEqual([]);
});

test('a changed source has moved by what is Pending, as Launchpad compares with that, too', async () => {
  const release = has('1.0', 'Release');
  expect(await movedSince('changed', [release], pending('1.2', 'Proposed'))).toEqual([
    { source: SOURCE, was: '1.0', is: '1.2' },
  ]);
});

test('a changed source has not moved where a copy of it is let in late, but where a newer version comes', async () => {
  const since = (...versions: string[]) =>
    movedAt({
      reason: 'changed',
      noted: [has('1.0', 'Release')],
      since: versions.map((version) => has(version, 'Proposed')),
      landed: '1.2',
    });
  expect(await since('1.2')).toEqual([]);
  expect(await since('1.2', '1.3')).toEqual([{ source: SOURCE, was: '1.0', is: '1.3' }]);
});

describe('a dependent of a landing whose target is a PPA', () => {
  const target = { archive: LANDED, series: 'noble', pocket: 'Release' };
  const inPpa = (version: string) => has(version, 'Release', parseArchive(LANDED));
  const moved = (noted: Publication[], ...since: Publication[]) =>
    movedAt({ reason: 'depends', noted, since, target, imageTarget: LANDED });

  test('has moved where the PPA has had a newer version than the image', async () => {
    expect(await moved([inPpa('1.2')])).toEqual([{ source: SOURCE, was: '1.1', is: '1.2' }]);
  });

  test('has moved where the PPA gets a newer version, and not where it gets the archive one or an older', async () => {
    expect(await moved([], inPpa('1.2'))).toEqual([{ source: SOURCE, was: '1.1', is: '1.2' }]);
    expect(await moved([], inPpa('1.0'))).toEqual([]);
    expect(await moved([inPpa('1.1')])).toEqual([]);
  });

  test('has moved where one architecture was tested with an older version', async () => {
    const found = await movedAt({
      reason: 'depends',
      noted: [inPpa('1.2')],
      target,
      imageTarget: LANDED,
      tested: ['1.2', '1.1', '1.2'],
    });
    expect(found).toEqual([{ source: SOURCE, was: '1.1', is: '1.2' }]);
  });

  test('has moved only by what the PPA gets since, where no image can be made of the PPA', async () => {
    const of = { reason: 'depends' as const, noted: [inPpa('1.2')], target };
    expect(await movedAt(of)).toEqual([]);
    expect(await movedAt({ ...of, since: [inPpa('1.3')] })).toEqual([
      { source: SOURCE, was: '1.2', is: '1.3' },
    ]);
  });
});

describe('as its tests are planned, a landing is told', () => {
  const release = has('1.1', 'Release');
  // The archive in memory has what it has under each name: here it is older than what is landed.
  const dependent = { reason: 'depends', landed: '2.0' } as const;

  test.each(['depends', 'triggered'] as const)(
    'of a source that is tested because of "%s" and is behind what the target has published',
    async (reason) => {
      const noted = [release, has('1.2', 'Updates')];
      const { told } = await noteAndCheck({ ...dependent, reason, noted });
      expect(told).toEqual({ behind: [{ source: SOURCE, was: '1.1', is: '1.2' }], passed: [] });
    },
  );

  test('of none that is as the target has it, or newer only where no image is made of', async () => {
    const noted = [release, has('1.2', 'Proposed'), pending('1.2', 'Updates')];
    const { told } = await noteAndCheck({ ...dependent, noted });
    expect(told).toEqual({ behind: [], passed: [] });
  });

  test('of none that is tested on an image which the target is no part of', async () => {
    const target = { archive: LANDED, series: 'noble', pocket: 'Release' };
    const noted = [has('1.2', 'Release', parseArchive(LANDED))];
    const { told } = await noteAndCheck({ ...dependent, noted, target });
    expect(told).toEqual({ behind: [], passed: [] });
  });

  test.each([
    ['Published', 'Updates'],
    ['Pending', 'Proposed'],
  ] as const)('that the target has passed it by what is %s in %s', async (status, pocket) => {
    const noted = [release, has('1.3', pocket, undefined, status)];
    const { told } = await noteAndCheck({ reason: 'changed', noted, landed: '1.2' });
    expect(told).toEqual({ behind: [], passed: [SOURCE] });
  });

  test('of nothing where the target has what it lands, or something newer in another pocket', async () => {
    const noted = [has('1.2', 'Proposed'), has('1.3', 'Backports')];
    const { told } = await noteAndCheck({ reason: 'changed', noted, landed: '1.2' });
    expect(told).toEqual({ behind: [], passed: [] });
  });
});

test('as it is about to publish, a landing is told that the target has passed it since', async () => {
  const scene = { reason: 'changed', noted: [has('1.0', 'Release')], landed: '1.2' } as const;
  const since = async (version: string) =>
    (await noteAndCheck({ ...scene, noted: [...scene.noted], since: [has(version, 'Updates')] }))
      .checked.passed;
  expect(await since('1.3')).toEqual([SOURCE]);
  expect(await since('1.1')).toEqual([]);
});
