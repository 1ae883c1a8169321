import { AirlineError } from '../../domain/errors.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import {
  allFilesOf,
  isUpstreamFile,
  type DescribedPackage,
} from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { SourcePublication } from '../../ppa/wire.ts';
import { compareFiles } from './compare-files.ts';

/**
 * Refuses a source package with other contents under a file name than Launchpad has (`Archive.getFileByName`, and
 * `_getFileByName` of lib/lp/archiveuploader/dscfile.py). A PPA takes no others than it has or has had, in whatever
 * series and status. Upstream's files that it does not have must be those of the primary archive, where that has them.
 * The files that the upload leaves out are held to this, too, by the checksums that its `.dsc` has.
 * Of the primary archive, the latest 300 publications of the source count. A file that is left out, and that neither
 * has, is left to Launchpad: an upload that it has yet to process may bring it.
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
  const inPpa = await compareFiles(ppaClient, ppa, whole, history);
  throwConflict(inPpa.conflict);
  const files = inPpa.missing.filter(({ name }) => isUpstreamFile(name));
  if (files.length === 0) return;
  const primary = { distribution: ppa.distribution };
  const latest = await ppaClient.getLatestSources(primary, sourcePackage.source);
  throwConflict((await compareFiles(ppaClient, primary, { ...whole, files }, latest)).conflict);
}

function throwConflict(conflict: string | undefined): void {
  if (conflict !== undefined) throw new AirlineError('file_conflict', conflict);
}
