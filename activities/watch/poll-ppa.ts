import { buildRecordState, isAtRest, type BuildRecord } from '../../domain/builds/build-state.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import {
  shownPackage,
  type DescribedPackage,
  type PackageVersion,
} from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { unlessMissingInArchive } from '../../ppa/web-service.ts';
import { isLive, seriesOf, withoutReplaced, type SourcePublication } from '../../ppa/wire.ts';
import { buildRecordOf } from '../ppa/build-record.ts';
import { buildsForSeries } from '../ppa/builds-for-series.ts';
import { readRecordAgain } from '../ppa/read-record-again.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { assertNoVersionConflict } from '../sources/assert-no-version-conflict.ts';

/**
 * What a PPA has of some packages: their builds, and those that were there before.
 *
 * @param input.series whose builds count, as `buildsForSeries` has it; those of all series where it is absent
 * @param input.unverified packages whose contents in the PPA are compared once it shows all
 * @param input.previous builds that were there; one that is not listed any more is asked for by its own address
 * @returns `accepted`: it has a publication with builds of every package; `published`: every build has ended, and all
 * packages of those that are built are, or were, published; true where nobody asks for it; `withoutBuilds`: the
 * packages that it has in the series without any build, where no other one is missing
 * @throws AirlineError `version_conflict` where an unverified package is another one there; `source_gone` where its
 * publication is awaited and can come no more; what the client of the PPA throws
 */
export async function pollPpa(
  { ppaClient, logger }: Pick<ActivityDependencies, 'ppaClient' | 'logger'>,
  input: {
    ppa: Ppa;
    series?: string;
    packages: readonly PackageVersion[];
    unverified?: { series: string; packages: DescribedPackage[] };
    previous: readonly BuildRecord[];
    awaitPublication?: boolean;
  },
): Promise<{
  records: BuildRecord[];
  accepted: boolean;
  published: boolean;
  withoutBuilds?: string[];
}> {
  const { ppa, series, packages, previous } = input;
  const records = new Map<string, BuildRecord>();
  const found = new Map<string, SourcePublication[]>();
  const counted = new Map<string, readonly SourcePublication[]>();
  const withoutBuilds: string[] = [];
  let isMissing = false;
  for (const wanted of packages) {
    const publications = await ppaClient.getPublishedSources(ppa, wanted);
    const ofSeries = await buildsForSeries(publications, series, {
      getBuilds: async (link) => (await unlessMissingInArchive(ppaClient.getBuilds(link))) ?? [],
      getPublishedBinaries: async (link) =>
        (await unlessMissingInArchive(ppaClient.getPublishedBinaries(link))) ?? [],
    });
    for (const build of ofSeries.builds) records.set(build.self_link, buildRecordOf(build));
    if (ofSeries.builds.length === 0) {
      withoutBuilds.push(shownPackage(wanted));
      isMissing ||= !publications.some(
        (one) => isLive(one.status) && (series === undefined || seriesOf(one) === series),
      );
    }
    found.set(shownPackage(wanted), publications);
    counted.set(shownPackage(wanted), ofSeries.publications);
  }
  const accepted = packages.length > 0 && withoutBuilds.length === 0;
  for (const record of previous) {
    if (records.has(record.selfLink)) continue;
    records.set(record.selfLink, await readRecordAgain({ ppaClient, logger }, record));
  }
  if (accepted && input.unverified)
    for (const sourcePackage of input.unverified.packages)
      await assertNoVersionConflict(
        ppaClient,
        { ppa, series: input.unverified.series },
        sourcePackage,
        found.get(shownPackage(sourcePackage)) ??
          (await ppaClient.getPublishedSources(ppa, sourcePackage)),
      );
  const all = [...records.values()];
  const published = !input.awaitPublication || (await arePublished(ppaClient, all, counted));
  return {
    records: all,
    accepted,
    published,
    ...(withoutBuilds.length > 0 && !isMissing ? { withoutBuilds } : {}),
  };
}

/**
 * Whether all builds have ended, those that are built have left packages, and each of these is published or was.
 *
 * @param counted the publications of each source package that have its builds, by the package
 * @throws AirlineError `source_gone` where a source went before its packages were published, as they went with it
 */
async function arePublished(
  ppaClient: PpaClient,
  records: readonly BuildRecord[],
  counted: ReadonlyMap<string, readonly SourcePublication[]>,
): Promise<boolean> {
  if (!records.every(isAtRest)) return false;
  const built = records.filter(({ buildState }) => buildRecordState(buildState) === 'completed');
  const waiting = new Set(built.map(({ selfLink }) => selfLink));
  for (const [shown, publications] of counted) {
    const isGone = publications.every(({ status }) => !isLive(status));
    for (const { self_link } of publications) {
      const binaries = await unlessMissingInArchive(ppaClient.getPublishedBinaries(self_link));
      for (const binary of withoutReplaced(binaries ?? [])) {
        const { status, date_published: publishedAt, build_link: build } = binary;
        if (isGone && !isLive(status) && !publishedAt)
          throw new AirlineError(
            'source_gone',
            `${shown} is ${publications[0]?.status} in the PPA, and its packages were never published`,
          );
        if (status !== 'Published' && !publishedAt) return false;
        waiting.delete(build ?? '');
      }
    }
  }
  return waiting.size === 0;
}
