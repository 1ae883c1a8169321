import {
  seriesOf,
  type BinaryPublication,
  type Build,
  type SourcePublication,
} from '../../ppa/wire.ts';

/** What a PPA is asked about a publication of a source, by its address. */
type Asked = {
  getBuilds: (publicationLink: string) => Promise<Build[]>;
  getPublishedBinaries: (publicationLink: string) => Promise<BinaryPublication[]>;
};

/**
 * The builds of one version of a source that count for a series: its own (Launchpad,
 * `PublishingSet.getBuildsForSourceIds`), and those that have made packages which are published there. A version may be
 * in another series of the PPA, too, where it was copied to be built anew: what was built there says nothing of it.
 * Where it was copied with its packages, Launchpad builds it only for architectures that are missing
 * (`BinaryPackageBuildSet.createForSource`). Where a series has neither, the builds of all series count.
 *
 * @param publications all that the PPA has of the version
 * @param series all of them where it is undefined
 * @param asked what it throws is passed on
 * @returns the builds, and the publications that were looked at for them
 */
export async function buildsForSeries(
  publications: readonly SourcePublication[],
  series: string | undefined,
  asked: Asked,
): Promise<{ builds: Build[]; publications: readonly SourcePublication[] }> {
  const isOwn = (one: SourcePublication) => series === undefined || seriesOf(one) === series;
  const own = publications.filter(isOwn);
  const others = publications.filter((one) => !isOwn(one));
  const builds = await buildsOfAll(own, asked);
  const makers = others.length === 0 ? new Set<string>() : await makersOfAll(own, asked);
  for (const { self_link } of builds) makers.delete(self_link);
  if (builds.length > 0 && makers.size === 0) return { builds, publications: own };
  const ofOthers = await buildsOfAll(others, asked);
  const all = [...builds, ...ofOthers.filter(({ self_link }) => makers.has(self_link))];
  return all.length > 0 ? { builds: all, publications: own } : { builds: ofOthers, publications };
}

async function buildsOfAll(
  publications: readonly SourcePublication[],
  { getBuilds }: Asked,
): Promise<Build[]> {
  const builds = new Map<string, Build>();
  for (const { self_link } of publications)
    for (const build of await getBuilds(self_link)) builds.set(build.self_link, build);
  return [...builds.values()];
}

/** The addresses of the builds that have made the packages of these publications. */
async function makersOfAll(
  publications: readonly SourcePublication[],
  { getPublishedBinaries }: Asked,
): Promise<Set<string>> {
  const makers = new Set<string>();
  for (const { self_link } of publications)
    for (const { build_link } of await getPublishedBinaries(self_link))
      if (build_link) makers.add(build_link);
  return makers;
}
