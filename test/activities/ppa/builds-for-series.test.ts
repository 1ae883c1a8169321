import { buildsForSeries } from '../../../activities/ppa/builds-for-series.ts';
import type { BinaryPublication, Build, SourcePublication } from '../../../ppa/wire.ts';

const [NOBLE, PLUCKY] = ['noble', 'plucky'].map(
  (series) =>
    ({
      self_link: series,
      distro_series_link: `https://api.example.com/ubuntu/${series}`,
    }) as SourcePublication,
) as [SourcePublication, SourcePublication];

/**
 * What counts for plucky in a PPA that has a version there and in noble.
 *
 * @param builds those that it lists for each, by their addresses
 * @param makers the builds that have made what is published in plucky
 */
async function countedForPlucky(
  builds: { noble: string[]; plucky: string[] },
  makers: (string | null)[],
) {
  const asked: string[] = [];
  const counted = await buildsForSeries([NOBLE, PLUCKY], 'plucky', {
    getBuilds: async (link) => {
      asked.push(link);
      return builds[link as 'noble' | 'plucky'].map((build) => ({ self_link: build }) as Build);
    },
    getPublishedBinaries: async (link) =>
      link === 'plucky' ? makers.map((one) => ({ build_link: one }) as BinaryPublication) : [],
  });
  return {
    builds: counted.builds.map(({ self_link: link }) => link),
    publications: counted.publications,
    asked,
  };
}

it('counts what was built for the series alone where nothing else has made its packages', async () => {
  const builds = { noble: ['noble-amd64'], plucky: ['plucky-amd64'] };
  const counted = { builds: ['plucky-amd64'], publications: [PLUCKY], asked: ['plucky'] };
  expect(await countedForPlucky(builds, [])).toEqual(counted);
  expect(await countedForPlucky(builds, ['plucky-amd64', null])).toEqual(counted);
});

it('counts what has made the packages that were copied along, and what is built beside these', async () => {
  const noble = ['noble-amd64', 'noble-arm64'];
  expect(
    await countedForPlucky({ noble, plucky: ['plucky-arm64'] }, ['noble-amd64', 'noble-amd64']),
  ).toMatchObject({ builds: ['plucky-arm64', 'noble-amd64'], publications: [PLUCKY] });
});

it('counts no build of another series that has made nothing there', async () => {
  const noble = ['noble-amd64', 'noble-i386'];
  expect(await countedForPlucky({ noble, plucky: [] }, ['noble-amd64'])).toMatchObject({
    builds: ['noble-amd64'],
    publications: [PLUCKY],
  });
});

it('counts all builds where the series has neither builds nor packages', async () => {
  expect(await countedForPlucky({ noble: ['noble-amd64'], plucky: [] }, [])).toMatchObject({
    builds: ['noble-amd64'],
    publications: [NOBLE, PLUCKY],
  });
});
