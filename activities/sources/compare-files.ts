import { archiveReference, type Archive } from '../../domain/packages/archive.ts';
import { upstreamVersion } from '../../domain/packages/debian-version.ts';
import {
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
 * Compares files of a source package with those that an archive has, or has had, under their names: with at most 10 of
 * its versions that have the same upstream version. Files that Launchpad has expunged are not listed, and do not count.
 *
 * @param publications of the source in the archive
 * @returns `conflict`: the first file that the archive has with other contents, in one sentence, where it has one;
 * `missing`: the files that it does not have
 */
export async function compareFiles(
  ppaClient: PpaClient,
  archive: Archive,
  { source, version, files }: DescribedPackage,
  publications: readonly SourcePublication[],
): Promise<{ conflict?: string; missing: DescribedPackage['files'] }> {
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
      if (held !== undefined && held !== sha256) {
        const where = `${publication.status} in ${seriesOf(publication)}`;
        const conflict = `${name} is not the file that ${archiveReference(archive)} has with ${source} ${other}, ${where}: SHA-256 ${sha256}, not ${held}`;
        return { conflict, missing };
      }
    }
    missing = missing.filter(({ name }) => !theirs.has(name));
  }
  return { missing };
}
