import { AirlineError } from '../../domain/errors.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import {
  allFilesOf,
  shownPackage,
  type DescribedPackage,
} from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { isLive, seriesOf, type SourcePublication } from '../../ppa/wire.ts';
import { isCompared, publishedChecksums } from './published-checksums.ts';
import type { Target } from './upload-target.ts';

const GONE = new Set(['Deleted', 'Obsolete']);

/**
 * The publication of a version that is there in a series, one that is live before one that was superseded; undefined
 * where all of them are gone or in other series.
 */
export function publicationIn(
  series: string,
  publications: readonly SourcePublication[],
): SourcePublication | undefined {
  const there = publications.filter((each) => seriesOf(each) === series && !GONE.has(each.status));
  return there.find(({ status }) => isLive(status)) ?? there[0];
}

/**
 * Refuses a source package that the PPA cannot take, because it holds or has held another one under its version. The
 * tarballs and diffs are compared by their checksums: the same source signed twice has two `.dsc` files. Launchpad
 * removes the files of what was superseded, and lists them no more.
 *
 * @param publications all that the PPA has of the source and version
 * @throws AirlineError `version_conflict` where the PPA holds other contents under this version, or no longer has the
 * files of one that was superseded, deleted it, or holds it for another series only: Launchpad drops an upload of a
 * version that the archive has ever had in any series, and says so by mail alone
 */
export async function assertNoVersionConflict(
  ppaClient: PpaClient,
  { ppa, series }: Target,
  sourcePackage: DescribedPackage,
  publications: readonly SourcePublication[],
): Promise<void> {
  const [first] = publications;
  if (!first) return;
  const conflict = (how: string) =>
    new AirlineError(
      'version_conflict',
      `${ppaReference(ppa)} already holds ${shownPackage(sourcePackage)}${how}`,
    );
  const published = publicationIn(series, publications);
  if (!published) {
    const gone = publications.find((each) => seriesOf(each) === series);
    throw conflict(
      gone ? `, ${gone.status}; it cannot come back` : ` for ${seriesOf(first)}, not for ${series}`,
    );
  }
  const checksums = await publishedChecksums(ppaClient, published);
  for (const { name, sha256 } of allFilesOf(sourcePackage)) {
    const there = checksums.get(name);
    if (!isCompared(name) || there === sha256) continue;
    throw there === undefined && !isLive(published.status)
      ? conflict(`, ${published.status}; its ${name} is gone`)
      : conflict(` with another ${name}`);
  }
}
