import type { Logger } from 'pino';
import { compareVersions, upstreamVersion } from '../../domain/debian-version.ts';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import { shownPackage, type DescribedPackage } from '../../domain/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { SourcePublication } from '../../ppa/wire.ts';
import { assertNoVersionConflict, publicationIn } from './assert-no-version-conflict.ts';
import type { TargetCache } from './target-cache.ts';
import { signerAssertion } from './assert-signer-may-upload.ts';
import { publishedChecksums } from './published-checksums.ts';
import type { Target } from './upload-target.ts';

type Asked = { ppaClient: PpaClient; targetCache: TargetCache; logger: Logger };

/**
 * Asks before anything is sent what the PPA would reject silently: Launchpad tells only the signer, by mail.
 *
 * @throws AirlineError `ppa_not_found`, `series_not_open`
 */
export async function assertTargetExists(
  { ppaClient, targetCache }: Pick<Asked, 'ppaClient' | 'targetCache'>,
  { ppa, series }: Target,
): Promise<void> {
  if (targetCache.isKnown({ ppa, series })) return;
  const found = await ppaClient.getSeries(ppa.distribution, series);
  if (!found?.active)
    throw new AirlineError(
      'series_not_open',
      found
        ? `${ppa.distribution} ${series} takes no uploads any more`
        : `${ppa.distribution} has no series ${series}`,
    );
  if ((await ppaClient.getArchitectures(found))?.length === 0)
    throw new AirlineError(
      'series_not_open',
      `${ppa.distribution} ${series} has no architecture to build on`,
    );
  if (!(await ppaClient.hasPpa(ppa)))
    throw new AirlineError('ppa_not_found', `There is no PPA ${ppaReference(ppa)}`);
  targetCache.keep({ ppa, series });
}

/**
 * Makes what refuses a package that the PPA would not take, unless it has this very package already.
 *
 * @returns gives its publication, where the PPA has it; throws AirlineError `version_conflict`, `version_not_higher`,
 * `file_conflict`, `key_not_registered`, `upload_not_allowed`
 */
export function acceptanceAssertion(
  asked: Asked,
  target: Target,
): (sourcePackage: DescribedPackage) => Promise<SourcePublication | undefined> {
  const { ppaClient } = asked;
  const assertSignerMayUpload = signerAssertion(asked, target);
  return async (sourcePackage) => {
    const publications = await ppaClient.getPublishedSources(target.ppa, sourcePackage);
    await assertNoVersionConflict(ppaClient, target, sourcePackage, publications);
    const publication = publicationIn(target.series, publications);
    if (publication) return publication;
    await assertNewForPpa(ppaClient, target, sourcePackage);
    await assertSignerMayUpload(sourcePackage);
    return undefined;
  };
}

/**
 * Refuses a version that is not higher than all that the PPA has in the series, and a tarball whose name the PPA has with other
 * contents (Launchpad, lib/lp/archiveuploader/nascentupload.py).
 *
 * @param sourcePackage of which the PPA has no publication under this version
 * @throws AirlineError `version_not_higher`, `file_conflict`
 */
async function assertNewForPpa(
  ppaClient: PpaClient,
  { ppa, series }: Target,
  sourcePackage: DescribedPackage,
): Promise<void> {
  const { source, version } = sourcePackage;
  const live = await ppaClient.getLiveSources(ppa, series, source);
  for (const each of live)
    if (compareVersions(version, each.source_package_version) <= 0)
      throw new AirlineError(
        'version_not_higher',
        `${shownPackage(sourcePackage)} is not higher than ${each.source_package_version}, ${publishedWhen(each)} in ${ppaReference(ppa)} for ${series}`,
      );
  for (const each of live)
    if (upstreamVersion(each.source_package_version) === upstreamVersion(version))
      await assertSameFiles(ppaClient, ppa, sourcePackage, each);
}

/** Two revisions of one upstream version share their upstream tarballs. */
async function assertSameFiles(
  ppaClient: PpaClient,
  ppa: Ppa,
  { source, files }: DescribedPackage,
  other: SourcePublication,
): Promise<void> {
  const theirs = await publishedChecksums(ppaClient, other);
  for (const { name, sha256 } of files) {
    const held = theirs.get(name);
    if (held !== undefined && held !== sha256)
      throw new AirlineError(
        'file_conflict',
        `${name} is not the file that ${ppaReference(ppa)} has with ${source} ${other.source_package_version}: SHA-256 ${sha256}, not ${held}`,
      );
  }
}

function publishedWhen({ status, date_published, date_created }: SourcePublication): string {
  const since = date_published ?? date_created;
  return `${status}${since ? ` since ${since.slice(0, 16).replace('T', ' ')}` : ''}`;
}
