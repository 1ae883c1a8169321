import { archiveReference, type Archive } from '../../domain/packages/archive.ts';
import { upstreamVersion } from '../../domain/packages/debian-version.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import {
  allFilesOf,
  fileVersion,
  isUpstreamFile,
  type DescribedPackage,
} from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { seriesOf, type SourcePublication } from '../../ppa/wire.ts';
import { publishedChecksums } from './published-checksums.ts';

/** Versions of an archive whose files are asked for. It has one content under a name: most often the first tells. */
const MAX_COMPARED = 10;

/**
 * Refuses a source package with other contents under a file name than Launchpad has (`Archive.getFileByName`, and
 * `_getFileByName` of lib/lp/archiveuploader/dscfile.py). A PPA takes no others than it has or has had, in whatever
 * series and status. Upstream's files that it does not have must be those of the primary archive, where that has them.
 * The files that the upload leaves out are held to this, too, by the checksums that its `.dsc` has.
 *
 * Compared are versions of the same upstream version: at most 10 of each archive, and of the primary archive those
 * among the latest 300 publications of the source. Files that Launchpad has expunged are not listed, and do not count.
 *
 * @param history all publications of the source in the PPA
 * @throws AirlineError `file_conflict`
 */
export async function assertNoFileConflict(
  ppaClient: PpaClient,
  ppa: Ppa,
  sourcePackage: DescribedPackage,
  history: readonly SourcePublication[],
): Promise<void> {
  const whole = { ...sourcePackage, files: allFilesOf(sourcePackage) };
  const missing = await compareFiles(ppaClient, ppa, whole, history);
  const files = missing.filter(({ name }) => isUpstreamFile(name));
  if (files.length === 0) return;
  const primary = { distribution: ppa.distribution };
  const latest = await ppaClient.getLatestSources(primary, sourcePackage.source);
  await compareFiles(ppaClient, primary, { ...whole, files }, latest);
}

/** @returns the files that the archive does not have */
async function compareFiles(
  ppaClient: PpaClient,
  archive: Archive,
  { source, version, files }: DescribedPackage,
  publications: readonly SourcePublication[],
): Promise<DescribedPackage['files']> {
  // All publications of a version in an archive have the same files.
  const versions = new Map(
    publications
      .filter((each) => upstreamVersion(each.source_package_version) === upstreamVersion(version))
      .map((each) => [each.source_package_version, each]),
  );
  let missing = files;
  for (const [other, publication] of [...versions].slice(0, MAX_COMPARED)) {
    // All other files are named with the revision, too.
    const isOfBoth = fileVersion(other) === fileVersion(version);
    if (!missing.some(({ name }) => isOfBoth || isUpstreamFile(name))) continue;
    const theirs = await publishedChecksums(ppaClient, publication);
    for (const { name, sha256 } of missing) {
      const held = theirs.get(name);
      if (held !== undefined && held !== sha256)
        throw new AirlineError(
          'file_conflict',
          `${name} is not the file that ${archiveReference(archive)} has with ${source} ${other}, ${publication.status} in ${seriesOf(publication)}: SHA-256 ${sha256}, not ${held}`,
        );
    }
    missing = missing.filter(({ name }) => !theirs.has(name));
  }
  return missing;
}
