import { seriesOf, type Build, type SourcePublication } from '../../ppa/wire.ts';

/**
 * The builds of one version of a source that are of a series. A version may be in another series of the PPA, too, where
 * it was copied to be built anew: the builds of one say nothing of the other. What was copied with its packages has no
 * builds of its own: then those of all series count (Launchpad, `PublishingSet.getBuildsForSourceIds`).
 *
 * @param publications all that the PPA has of the version
 * @param series all of them where it is undefined
 * @param getBuilds the builds of a publication; what it throws is passed on
 * @returns the builds, and the publications that were looked at for them
 */
export async function buildsForSeries(
  publications: readonly SourcePublication[],
  series: string | undefined,
  getBuilds: (publicationLink: string) => Promise<Build[]>,
): Promise<{ builds: Build[]; publications: readonly SourcePublication[] }> {
  const isOwn = (one: SourcePublication) => series === undefined || seriesOf(one) === series;
  const own = publications.filter(isOwn);
  const builds = await buildsOfAll(own, getBuilds);
  if (builds.length > 0) return { builds, publications: own };
  const others = publications.filter((one) => !isOwn(one));
  return { builds: await buildsOfAll(others, getBuilds), publications };
}

async function buildsOfAll(
  publications: readonly SourcePublication[],
  getBuilds: (publicationLink: string) => Promise<Build[]>,
): Promise<Build[]> {
  const builds = new Map<string, Build>();
  for (const { self_link } of publications)
    for (const build of await getBuilds(self_link)) builds.set(build.self_link, build);
  return [...builds.values()];
}
