import { archiveReference } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  binariesInPpa,
  latestUpload,
  newestIn,
  placeOf,
  publicationOf,
  type Copy,
} from './target-place.ts';

/** A package that the target would not take, and why. */
export type RefusedCopy = { source: string; message: string };

/**
 * Asks whether the target would take the copies. Launchpad looks at this only when it makes a copy, and tells nobody of
 * what it finds (`packagecopier.py`): so it is asked before the first copy is sent.
 *
 * @returns `refused`: why it would not, the first reason for each package; `seenUploads`: by source, the link of what
 * was last held in the target's queue, which is no copy of this attempt
 */
export function checkCopies({ ppaClient }: Pick<ActivityDependencies, 'ppaClient'>) {
  return async ({
    packages,
    ...copy
  }: Copy & { packages: readonly PackageVersion[] }): Promise<{
    refused: RefusedCopy[];
    /** Older code told nothing of it. */
    seenUploads?: Record<string, string>;
  }> => {
    const refused: RefusedCopy[] = [];
    const seenUploads: Record<string, string> = {};
    for (const one of packages) {
      const message = await reasonToRefuse(ppaClient, copy, one);
      if (message !== undefined) {
        refused.push({ source: one.source, message });
        continue;
      }
      const seen = await latestUpload(ppaClient, placeOf(copy, one));
      if (seen !== undefined) seenUploads[one.source] = seen;
    }
    return { refused, seenUploads };
  };
}

/** What the target has of the package, or is about to publish, it does not refuse, whatever the PPA has by now. */
async function reasonToRefuse(
  client: PpaClient,
  copy: Copy,
  one: PackageVersion,
): Promise<string | undefined> {
  const state = await publicationOf(client, copy, one);
  if (state === 'pending' || state === 'published') return undefined;
  if ((await binariesInPpa(client, copy.ppa, one)).length === 0)
    return `${ppaReference(copy.ppa)} has not published all of ${one.version}`;
  const { archive, series } = placeOf(copy, one);
  const target = `${archiveReference(archive)} ${series}`;
  const newest = await newestIn(client, copy.target, one.source);
  if (newest !== null && compareVersions(newest, one.version) > 0)
    return `${target} has ${newest}, which is newer than ${one.version}`;
  return state === 'foreign'
    ? `${target} has a ${one.version} that ${ppaReference(copy.ppa)} has not built`
    : undefined;
}
