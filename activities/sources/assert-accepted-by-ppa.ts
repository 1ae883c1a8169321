import { compareVersions } from '../../domain/packages/debian-version.ts';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import { shownPackage, type DescribedPackage } from '../../domain/packages/source-file.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import { isDeleted, isLive, seriesOf, type SourcePublication } from '../../ppa/wire.ts';
import { assertNoFileConflict } from './assert-no-file-conflict.ts';
import { assertNoVersionConflict, publicationIn } from './assert-no-version-conflict.ts';
import type { Asked } from './target-cache.ts';
import { signerAssertion } from './assert-signer-may-upload.ts';
import type { Target } from './upload-target.ts';

/**
 * Asks before anything is sent what the PPA would reject silently: Launchpad tells only the signer, by mail. A series
 * that is not out yet takes uploads, one that is obsolete only to a PPA that permits them (Launchpad,
 * `Archive.verifyUpload`).
 *
 * @throws AirlineError `ppa_not_found`, `series_not_open`
 */
export async function assertTargetExists(
  { ppaClient, targetCache }: Pick<Asked, 'ppaClient' | 'targetCache'>,
  { ppa, series }: Target,
): Promise<void> {
  if (targetCache.isKnown({ ppa, series })) return;
  const archive = await ppaClient.getArchive(ppa);
  if (!archive) throw new AirlineError('ppa_not_found', `There is no PPA ${ppaReference(ppa)}`);
  if (isDeleted(archive))
    throw new AirlineError('ppa_not_found', `${ppaReference(ppa)} was deleted`);
  const found = await ppaClient
    .getSeries(ppa.distribution, series)
    .catch((error: unknown) => throwAsAlias(error, { ppa, series }));
  if (!found || (found.status === 'Obsolete' && !archive.permit_obsolete_series_uploads))
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
  targetCache.keep({ ppa, series });
}

/**
 * Launchpad redirects a distribution's alias of its development series, such as `devel` of Ubuntu, to the series
 * (lib/lp/registry/browser/distribution.py, `traverse`).
 */
function throwAsAlias(error: unknown, { ppa, series }: Target): never {
  if (error instanceof PpaAnswerError && error.isRedirect)
    throw new AirlineError(
      'series_not_open',
      `${ppa.distribution} ${series} is another name of a series; name the series itself`,
    );
  throw error;
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
    const publication = publicationIn(target.series, publications);
    const getHistory = () => ppaClient.getSourceHistory(target.ppa, sourcePackage.source);
    // The files of what a higher version has replaced may be gone: then they say nothing.
    if (publication && !isLive(publication.status))
      assertHigher(target, sourcePackage, await getHistory());
    await assertNoVersionConflict(ppaClient, target, sourcePackage, publications);
    if (publication) return publication;
    const history = await getHistory();
    assertHigher(target, sourcePackage, history);
    await assertNoFileConflict(ppaClient, target.ppa, sourcePackage, history);
    await assertSignerMayUpload(sourcePackage);
    return undefined;
  };
}

/**
 * Refuses a version that is not higher than all that the PPA has in the series (Launchpad,
 * lib/lp/archiveuploader/nascentupload.py). One that a higher one has replaced there is refused, too: apt would give
 * the higher one.
 *
 * @param history all publications of the source in the PPA, of which none under this version is live in the series
 * @throws AirlineError `version_not_higher`
 */
function assertHigher(
  { ppa, series }: Target,
  sourcePackage: DescribedPackage,
  history: readonly SourcePublication[],
): void {
  const { version } = sourcePackage;
  for (const each of history)
    if (
      isLive(each.status) &&
      seriesOf(each) === series &&
      compareVersions(version, each.source_package_version) <= 0
    )
      throw new AirlineError(
        'version_not_higher',
        `${shownPackage(sourcePackage)} is not higher than ${each.source_package_version}, ${publishedWhen(each)} in ${ppaReference(ppa)} for ${series}`,
      );
}

function publishedWhen({ status, date_published, date_created }: SourcePublication): string {
  const since = date_published ?? date_created;
  return `${status}${since ? ` since ${since.slice(0, 16).replace('T', ' ')}` : ''}`;
}
