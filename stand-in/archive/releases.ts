import type { Pocket } from '../../domain/packages/archive.ts';
import type { ArchiveState } from './archive-state.ts';
import type { BinaryPublication, Build, SourcePublication } from './records.ts';

/** The latest publication of a version in an archive, in any status; `series` and `pocket` narrow it down. */
export function findSource(
  state: ArchiveState,
  archive: string,
  wanted: {
    source: string;
    version: string;
    series?: string | undefined;
    pocket?: Pocket | undefined;
  },
): SourcePublication | undefined {
  const { source, version, series, pocket } = wanted;
  return state
    .sources(archive)
    .findLast(
      (one) =>
        one.source === source &&
        one.version === version &&
        one.series === (series ?? one.series) &&
        one.pocket === (pocket ?? one.pocket),
    );
}

/** Every build of a source, in whichever archive it was made. */
function buildsOfRelease(state: ArchiveState, { releaseId }: SourcePublication): Build[] {
  return state.publicationsOf(releaseId).flatMap(({ id }) => state.buildsOfSource(id));
}

/**
 * The builds of a publication that were made for its series: its archive's own, and those whose packages were copied
 * there with it (Launchpad, `PublishingSet.getBuildsForSourceIds`).
 */
export function buildsOf(state: ArchiveState, one: SourcePublication): Build[] {
  const copied = new Set(binariesOf(state, one).map(({ buildId }) => buildId));
  return buildsOfRelease(state, one).filter(
    ({ id, archive, series }) =>
      series === one.series && (archive === one.archive || copied.has(id)),
  );
}

/** The packages of a publication's source in its suite, in any status. */
export function binariesOf(state: ArchiveState, one: SourcePublication): BinaryPublication[] {
  const builds = new Set(buildsOfRelease(state, one).map(({ id }) => id));
  return state
    .binaries(one.archive)
    .filter(
      ({ buildId, series, pocket }) =>
        builds.has(buildId) && series === one.series && pocket === one.pocket,
    );
}

/**
 * What an archive has to build of a source that is copied to a series: on the architectures on which it has built it in
 * no series, has no packages of it from elsewhere, and has no build of it for that series in any state (Launchpad,
 * `BinaryPackageBuildSet.createForSource`).
 *
 * @param copied the packages that are copied along
 */
export function missingBuilds(
  state: ArchiveState,
  origin: SourcePublication,
  { archive, series }: Pick<SourcePublication, 'archive' | 'series'>,
  copied: readonly BinaryPublication[],
): Build[] {
  const withPackages = new Set(
    [...state.binaries(archive), ...copied].map(({ buildId }) => buildId),
  );
  const isThere = (build: Build) => {
    const isOwn = build.archive === archive;
    if (isOwn && build.series === series) return true;
    return build.state === 'Successfully built' && (isOwn || withPackages.has(build.id));
  };
  const there = new Set(
    buildsOfRelease(state, origin)
      .filter(isThere)
      .map(({ architecture }) => architecture),
  );
  return state
    .buildsOfSource(origin.releaseId)
    .filter(({ architecture }) => !there.has(architecture));
}
