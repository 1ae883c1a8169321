import { parseArchive, type Archive, type Pocket } from '../../domain/archive.ts';
import { compareVersions } from '../../domain/debian-version.ts';
import type { LandingTarget } from '../../domain/landing.ts';
import type { Ppa } from '../../domain/ppa.ts';
import type { PackageVersion } from '../../domain/source-file.ts';
import type { PlacedSource } from '../../ppa/archives.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { isLive, type BinaryPublication } from '../../ppa/wire.ts';

/** What is copied: from a PPA, in the series that it was built for, to a target. */
export type Copy = { ppa: Ppa; target: LandingTarget };

/**
 * The place of a package in the target.
 *
 * @throws Error where the target is no archive, which no accepted landing has
 */
export function placeOf({ target }: Copy, { source, version }: PackageVersion): PlacedSource {
  const archive = archiveOf(target);
  return { archive, series: target.series, pocket: target.pocket as Pocket, source, version };
}

/**
 * The newest version of a source in the target's series, in whatever pocket; null where it has none.
 *
 * @throws Error as placeOf
 */
export async function newestIn(
  client: PpaClient,
  target: LandingTarget,
  source: string,
): Promise<string | null> {
  const live = await client.getLiveSources(archiveOf(target), target.series, source);
  const versions = live.map(({ source_package_version: version }) => version);
  return versions.toSorted(compareVersions).at(-1) ?? null;
}

function archiveOf({ archive: reference }: LandingTarget): Archive {
  const archive = parseArchive(reference);
  if (!archive) throw new Error(`The landing says that ${reference} is an archive.`);
  return archive;
}

/** How a package stands in the target. */
export type PublicationState =
  | 'absent'
  /** The source is there; binaries that the PPA has are not yet, or not yet published. */
  | 'pending'
  | 'published'
  /** The same version is there, and is not what the PPA has built. */
  | 'foreign';

/**
 * How a package of the PPA stands in the target. What the PPA's own builds have made counts and nothing else: copied
 * binaries still name the build that made them.
 *
 * @param given what the PPA has published of it, where that is known already
 */
export async function publicationOf(
  client: PpaClient,
  copy: Copy,
  one: PackageVersion,
  given?: readonly BinaryPublication[],
): Promise<PublicationState> {
  const publication = await client.publishedSource(placeOf(copy, one));
  if (!publication || !isLive(publication.status)) return 'absent';
  const made = given ?? (await binariesInPpa(client, copy.ppa, one));
  const there = await client.getPublishedBinaries(publication.self_link);
  const live = there.filter(({ status }) => isLive(status));
  const builds = new Set(made.map(({ build_link: build }) => build));
  if (live.some(({ build_link: build }) => !builds.has(build))) return 'foreign';
  const published = new Set(
    live.filter(({ status }) => status === 'Published').map(({ display_name: name }) => name),
  );
  const isWhole = made.length > 0 && made.every(({ display_name: name }) => published.has(name));
  return publication.status === 'Published' && isWhole ? 'published' : 'pending';
}

/** What the PPA has published of a package; none where it has not all of it. */
export async function binariesInPpa(client: PpaClient, ppa: Ppa, one: PackageVersion) {
  const sources = await client.getPublishedSources(ppa, one);
  const published = sources.find(({ status }) => status === 'Published');
  if (!published) return [];
  const binaries = await client.getPublishedBinaries(published.self_link);
  return binaries.every(({ status }) => status === 'Published') ? binaries : [];
}
