import { buildRecordState } from '../../domain/builds/build-state.ts';
import { archiveReference, type Archive } from '../../domain/packages/archive.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { fileStem, type PackageVersion } from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import type { PpaClient } from '../../ppa/client.ts';
import {
  architectureOf,
  isLive,
  seriesOf,
  type BinaryPublication,
  type Build,
  type SourcePublication,
} from '../../ppa/wire.ts';
import { publishedChecksums } from '../sources/published-checksums.ts';

/** The packages that a reason names. */
const NAMED_PACKAGES = 3;

/**
 * Why an archive takes no copy of a PPA's source beside what it has of the same version already, whatever the series,
 * pocket and status of that (Launchpad's `_checkArchiveConflicts`, lib/lp/soyuz/scripts/packagecopier.py): that is
 * another source, its builds have not ended, what they made is not published, or they made what the PPA has not.
 *
 * @param archive another one than the PPA
 * @returns undefined where nothing of that version is in the way
 */
export async function versionConflictIn(
  client: PpaClient,
  archive: Archive,
  ppa: Ppa,
  one: PackageVersion,
): Promise<string | undefined> {
  const publications = await client.getPublishedSources(archive, one);
  const [latest] = publications.length > 0 ? await client.getPublishedSources(ppa, one) : [];
  if (!latest) return undefined;
  const reference = archiveReference(archive);
  const own = await dscOf(client, latest, one);
  const made = await client.getPublishedBinaries(latest.self_link);
  const copied = new Set(made.map(releaseOf));
  for (const publication of publications) {
    const series = seriesOf(publication);
    const theirs = await dscOf(client, publication, one);
    if (own !== undefined && theirs !== undefined && theirs !== own)
      return `${reference} has another ${one.version}, ${publication.status} in ${series}`;
    const place = publication.pocket ? `${series} ${publication.pocket}` : series;
    const builds = await client.getBuilds(publication.self_link);
    if (builds.some(isUnderWay))
      return `${reference} still builds ${one.version} for ${place}, and takes no copy of it before that has ended: retry the landing then`;
    const binaries = await client.getPublishedBinaries(publication.self_link);
    if (isLive(publication.status) && isUnpublished(builds, binaries))
      return `${reference} has not published yet all that was built of ${one.version} for ${place}, and takes no copy of it until then: retry the landing later`;
    const others = binaries.filter((binary) => !copied.has(releaseOf(binary)));
    if (others.length > 0)
      return `${reference} has a ${one.version} in ${place} with packages that ${ppaReference(ppa)} has not built (${named(others)}), and takes no copy without these: copy that one within ${reference}, set its subticket to complete with \`airline subticket set-step\`, and land the rest anew`;
  }
  return undefined;
}

/**
 * The checksum of a publication's `.dsc`, which tells sources of one version apart, as it has the checksums of all
 * other files; undefined where Launchpad has expunged it.
 */
async function dscOf(
  client: PpaClient,
  publication: SourcePublication,
  one: PackageVersion,
): Promise<string | undefined> {
  return (await publishedChecksums(client, publication)).get(`${fileStem(one)}.dsc`);
}

/** Dependency wait is none: Launchpad counts it as failed. */
function isUnderWay({ buildstate }: Build): boolean {
  const state = buildRecordState(buildstate);
  return state === 'waiting' || state === 'building';
}

/** Launchpad asks for it only where all have succeeded (`getBuildStatusSummariesForSourceIdsAndArchive`). */
function isUnpublished(builds: readonly Build[], binaries: readonly BinaryPublication[]): boolean {
  if (builds.some(({ buildstate }) => buildRecordState(buildstate) !== 'completed')) return false;
  const published = new Set(
    binaries.filter((one) => one.date_published).map(({ build_link: build }) => build),
  );
  return builds.some(({ self_link: build }) => !published.has(build));
}

/**
 * What Launchpad compares: what a build has made of one name, which may be published for several architectures, such as
 * for a variant that one series has and the other has not.
 */
function releaseOf({ build_link: build, binary_package_name: name }: BinaryPublication): string {
  return `${build} ${name}`;
}

function named(binaries: readonly BinaryPublication[]): string {
  const names = binaries.map((one) => `${one.binary_package_name} for ${architectureOf(one)}`);
  return listed([...new Set(names)], NAMED_PACKAGES);
}
