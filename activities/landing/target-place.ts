import { buildRecordState, isRestState } from '../../domain/builds/build-state.ts';
import { parseArchive, type Archive, type Pocket } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import type { LandingTarget, PoolUpload } from '../../domain/landings/landing.ts';
import { parsePpa, ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { fileNameOfUrl, type PackageVersion } from '../../domain/packages/source-file.ts';
import type { PlacedSource } from '../../ppa/archives.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { isLinkOf } from '../../ppa/addresses.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import {
  architectureOf,
  isLive,
  LIVE_STATUSES,
  withoutReplaced,
  type BinaryPublication,
  type PackageUpload,
  type SourcePublication,
} from '../../ppa/wire.ts';
import { isCompared, publishedChecksums } from '../sources/published-checksums.ts';

/** What is copied: from a PPA, in the series that it was built for, to a target. */
export type Copy = {
  ppa: Ppa;
  target: LandingTarget;
  /** When its landing was first requested: what the target got since is a copy of it. Older workflows do not tell. */
  requestedAtMs?: number | undefined;
  /** Older workflows do not tell. */
  landingId?: number | undefined;
  /** What the landing has uploaded to the PPAs of the pool that it had, as `knowingUploads` adds it. */
  uploads?: readonly PoolUpload[];
};

/**
 * The place of a package in the target.
 *
 * @throws Error where the target is no archive, which no accepted landing has
 */
export function placeOf({ target }: Copy, { source, version }: PackageVersion): PlacedSource {
  const archive = archiveOf(target);
  return { archive, series: target.series, pocket: target.pocket as Pocket, source, version };
}

/** What images, and the systems of users, are made of: what waits in another pocket is not what was tested. */
export const IMAGE_POCKETS: readonly Pocket[] = ['Release', 'Security', 'Updates'];

/**
 * The pockets whose versions of a changed source count: that of the target, as Launchpad looks there alone
 * (`packagecopier.py`), and those of images, where the older one would be installed by nobody.
 */
export function pocketsOfChange({ pocket }: LandingTarget): readonly Pocket[] {
  return [...IMAGE_POCKETS, pocket as Pocket];
}

/**
 * The newest version of a source in the target's series; null where it has none.
 *
 * @param pockets those that count
 * @param statuses those of Launchpad's that count
 * @throws Error as placeOf
 */
export async function newestIn(
  client: PpaClient,
  target: LandingTarget,
  source: string,
  pockets: readonly Pocket[],
  statuses: readonly string[] = LIVE_STATUSES,
): Promise<string | null> {
  const live = await client.getLiveSources(archiveOf(target), target.series, source);
  const versions = live
    .filter(({ status }) => statuses.includes(status))
    .filter(({ pocket }) => !pocket || pockets.some((one) => one === pocket))
    .map(({ source_package_version: version }) => version);
  return versions.toSorted(compareVersions).at(-1) ?? null;
}

/** @throws Error as placeOf */
export function archiveOf({ archive: reference }: LandingTarget): Archive {
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
 * How a package of the PPA stands in the target. What the PPA's own builds have made counts: copied binaries still name
 * the build that made them. Launchpad has the target build for the architectures that the PPA does not build for; these
 * binaries say nothing of the copy. Nor does it matter what the PPA has by now in place of the package, or what it has
 * for architectures that the target's series lacks. What an earlier PPA of the landing has built of the same files
 * counts, too: the copy of an earlier attempt may be let in late.
 *
 * What the target has got since the landing was requested counts once it was published, whatever became of it: packages
 * leave Proposed while others of their landing are still waited for.
 */
export async function publicationOf(
  client: PpaClient,
  copy: Copy,
  one: PackageVersion,
): Promise<PublicationState> {
  const publication = await client.publishedSource(placeOf(copy, one));
  if (!publication) return 'absent';
  const { requestedAtMs = Infinity } = copy;
  const isOurs = Date.parse(publication.date_created ?? '') >= requestedAtMs;
  const isOut = ({ status, date_published: publishedAt }: SourcePublication | BinaryPublication) =>
    status === 'Published' || (isOurs && Boolean(publishedAt));
  const isThere = isLive(publication.status);
  if (!isThere && !isOut(publication)) return 'absent';
  const there = await client.getPublishedBinaries(publication.self_link);
  const live = there.filter(({ status }) => isLive(status));
  const published = new Set(there.filter(isOut).map(buildAndNameOf));
  const stateAsBuiltIn = async (ppa: Ppa): Promise<PublicationState> => {
    const made = await binariesMade(client, ppa, one);
    if (made.length === 0) return 'foreign';
    const names = new Set(made.map(nameOf));
    const builds = new Set(made.map(buildAndNameOf));
    if (live.some((binary) => names.has(nameOf(binary)) && !builds.has(buildAndNameOf(binary))))
      return 'foreign';
    const missing = made.filter((binary) => !published.has(buildAndNameOf(binary)));
    if (isOut(publication) && (await areLeftOut(client, copy.target, missing))) return 'published';
    return isThere ? 'pending' : 'absent';
  };
  const state = await stateAsBuiltIn(copy.ppa);
  if (state === 'published') return state;
  for (const ppa of earlierPpasOf(copy, one)) {
    const earlier = await stateAsBuiltIn(ppa);
    const isThereOrOut = earlier === 'pending' || earlier === 'published';
    if (isThereOrOut && (await hasFilesOf(client, publication, copy.ppa, one))) return earlier;
  }
  return state;
}

/**
 * Whether a copy to the target has none of these binaries, as each is for an architecture that its series lacks
 * (Launchpad, `expand_binary_requests` in lib/lp/soyuz/model/publishing.py).
 */
async function areLeftOut(
  client: PpaClient,
  target: LandingTarget,
  binaries: readonly BinaryPublication[],
): Promise<boolean> {
  if (binaries.length === 0) return true;
  if (binaries.some(({ architecture_specific: isSpecific }) => !isSpecific)) return false;
  const series = await client.getSeries(archiveOf(target).distribution, target.series);
  const architectures = series && (await client.getArchitectures(series));
  if (!architectures) return false;
  const there = new Set(architectures.map(({ self_link: link }) => fileNameOfUrl(link)));
  return !binaries.some((binary) => there.has(architectureOf(binary)));
}

/** The other PPAs that the landing has uploaded a package to. */
function earlierPpasOf({ ppa, uploads = [] }: Copy, { source, version }: PackageVersion): Ppa[] {
  return uploads
    .filter((one) => one.source === source && one.version === version)
    .filter((one) => one.ppa !== ppaReference(ppa))
    .flatMap((one) => parsePpa(one.ppa, ppa.distribution) ?? []);
}

/**
 * Whether a publication has the files that the PPA has of its version. The `.dsc` may differ: it is signed anew with
 * each upload. Files that Launchpad has expunged tell nothing.
 */
async function hasFilesOf(
  client: PpaClient,
  publication: SourcePublication,
  ppa: Ppa,
  one: PackageVersion,
): Promise<boolean> {
  const [own] = await client.getPublishedSources(ppa, one);
  const theirs = await publishedChecksums(client, publication);
  const ours = own ? await publishedChecksums(client, own) : new Map<string, string>();
  const isOther = ([name, sha256]: [string, string]) =>
    isCompared(name) && theirs.has(name) && theirs.get(name) !== sha256;
  return ![...ours].some(isOther);
}

/**
 * A binary as it is named in every series. What is for all architectures is published once for each that a series has,
 * and series differ in them.
 */
function nameOf(binary: BinaryPublication): string {
  return `${binary.binary_package_name} ${architectureOf(binary)}`;
}

/** What tells a binary of a build apart from all others, in whichever archive and series it is published. */
function buildAndNameOf(binary: BinaryPublication): string {
  return `${binary.build_link} ${nameOf(binary)}`;
}

/**
 * What the PPA's builds of a package have made, whatever became of it there. Of several series it is the one that
 * Launchpad copies: the latest.
 */
async function binariesMade(client: PpaClient, ppa: Ppa, one: PackageVersion) {
  const [latest] = await client.getPublishedSources(ppa, one);
  return latest ? client.getPublishedBinaries(latest.self_link) : [];
}

/**
 * What the PPA has published of a package; none where it has not all of it. A build that has succeeded has no
 * publications until Launchpad has processed what it uploaded, some minutes later, and then has all of its own at once.
 */
export async function binariesInPpa(client: PpaClient, ppa: Ppa, one: PackageVersion) {
  const sources = await client.getPublishedSources(ppa, one);
  const published = sources.find(({ status }) => status === 'Published');
  if (!published) return [];
  const builds = await client.getBuilds(published.self_link);
  const binaries = withoutReplaced(await client.getPublishedBinaries(published.self_link));
  const seen = new Set(binaries.map(({ build_link: build }) => build));
  const isWhole = builds.every(({ self_link: build, buildstate }) => {
    const state = buildRecordState(buildstate);
    return isRestState(state) && (state !== 'completed' || seen.has(build));
  });
  return isWhole && binaries.every(({ status }) => status === 'Published') ? binaries : [];
}

/** Launchpad's statuses of a copy that a person, or Launchpad itself, may yet make. */
const WAITING = ['Unapproved', 'New', 'Accepted'];

/** The copy of a package from its PPA that waits in the queue of the target's series, be it of an earlier attempt. */
export async function waitingCopy(
  client: PpaClient,
  copy: Copy,
  one: PackageVersion,
): Promise<PackageUpload | undefined> {
  const uploads = await uploadsOf(client, placeOf(copy, one));
  return uploads.find((upload) => isWaitingCopy(upload, copy));
}

/**
 * The link of what is latest in the queue of the target's series for a package, of what was there before each copy that
 * waits; undefined where nothing was.
 */
export async function latestUploadBefore(
  client: PpaClient,
  copy: Copy,
  one: PackageVersion,
): Promise<string | undefined> {
  const uploads = await uploadsOf(client, placeOf(copy, one));
  const oldestCopyAt = uploads.findLastIndex((upload) => isWaitingCopy(upload, copy));
  return uploads[oldestCopyAt + 1]?.self_link;
}

function isWaitingCopy(
  { status, copy_source_archive_link: from }: PackageUpload,
  { ppa }: Copy,
): boolean {
  return WAITING.includes(status) && isLinkOf(from ?? '', ppa);
}

/** None where there is no such target, which whoever asks for a copy is told. */
async function uploadsOf(client: PpaClient, place: PlacedSource): Promise<PackageUpload[]> {
  try {
    return await client.heldUploads(place);
  } catch (error) {
    if (error instanceof PpaAnswerError) return [];
    throw error;
  }
}
