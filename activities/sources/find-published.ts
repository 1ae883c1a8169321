import { fileNameOfUrl, type CheckedPackage } from '../../domain/source-file.ts';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import type { PpaClient } from '../../ppa/client.ts';

// Signing changes a .dsc, and a .changes and a .buildinfo are no part of a source; the tarballs and diffs decide.
const NOT_COMPARED = /\.(?:dsc|changes|buildinfo)$/;

const GONE = new Set(['Deleted', 'Obsolete']);

/**
 * Whether the PPA holds this source and version in this series already. What it holds is compared by the checksums
 * of the tarballs and diffs: the same source signed twice has two `.dsc` files.
 *
 * @throws AirlineError `version_conflict` where it holds other contents under this version, deleted it, or
 * holds it for another series only: Launchpad drops an upload of a version that the archive has ever had in any
 * series, and says so by mail alone
 */
export async function isPublished(
  ppaClient: PpaClient,
  ppa: Ppa,
  series: string,
  { source, version, files }: CheckedPackage,
): Promise<boolean> {
  const publications = await ppaClient.getPublishedSources(ppa, { source, version });
  const [first] = publications;
  if (!first) return false;
  const subject = `${ppaReference(ppa)} already holds ${source} ${version}`;
  const here = publications.filter(
    (publication) => publication.distro_series_link.split('/').at(-1) === series,
  );
  const inSeries = here.find(({ status }) => !GONE.has(status));
  if (!inSeries && here[0])
    throw new AirlineError(
      'version_conflict',
      `${subject}, ${here[0].status}; it cannot come back`,
    );
  if (!inSeries)
    throw new AirlineError(
      'version_conflict',
      `${subject} for ${first.distro_series_link.split('/').at(-1) ?? 'another series'}, not for ${series}`,
    );
  const published = new Map(
    (await ppaClient.sourceFileUrls(inSeries.self_link)).map((file) => [
      fileNameOfUrl(file.url),
      file.sha256,
    ]),
  );
  for (const { name, sha256 } of files) {
    if (NOT_COMPARED.test(name)) continue;
    if (published.get(name) !== sha256)
      throw new AirlineError('version_conflict', `${subject} with another ${name}`);
  }
  return true;
}
