import { archiveReference, isPpa, type Archive } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { compareFiles } from '../sources/compare-files.ts';
import { publishedChecksums } from '../sources/published-checksums.ts';
import {
  archiveOf,
  binariesInPpa,
  latestUploadBefore,
  newestIn,
  placeOf,
  pocketsOfChange,
  publicationOf,
  type Copy,
  type PublicationState,
} from './target-place.ts';
import { versionConflictIn } from './version-conflict.ts';

/** What is there may be what the ticket is to land, as where an earlier landing of it has sent the copy. */
const WAY_OUT =
  'if it is what the ticket is to land, set its subticket to complete with `airline subticket set-step`, and land the rest anew';

/** A package that the target would not take, and why. */
export type RefusedCopy = { source: string; message: string };

/**
 * Asks whether the target would take the copies. Launchpad looks at this only when it makes a copy, and tells nobody of
 * what it finds (`packagecopier.py`): so it is asked before the first copy is sent.
 *
 * @returns `refused`: why it would not, the first reason for each package; `published`: the sources that the target has
 * published already; `seenUploads`: by source, the link of what was last held in the target's queue, before the copy
 * itself where an earlier attempt has sent it and it waits there
 */
export function checkCopies({ ppaClient }: Pick<ActivityDependencies, 'ppaClient'>) {
  return async ({
    packages,
    ...copy
  }: Copy & { packages: readonly PackageVersion[] }): Promise<{
    refused: RefusedCopy[];
    /** Older code told nothing of both. */
    published?: string[];
    seenUploads?: Record<string, string>;
  }> => {
    const leak = await leakOf(ppaClient, copy);
    const refused: RefusedCopy[] = [];
    const published: string[] = [];
    const seenUploads: Record<string, string> = {};
    for (const one of packages) {
      const state = await publicationOf(ppaClient, copy, one);
      if (state === 'published') published.push(one.source);
      const message = await reasonToRefuse(ppaClient, { ...copy, leak, state }, one);
      if (message !== undefined) {
        refused.push({ source: one.source, message });
        continue;
      }
      const seen = await latestUploadBefore(ppaClient, copy, one);
      if (seen !== undefined) seenUploads[one.source] = seen;
    }
    return { refused, published, seenUploads };
  };
}

/**
 * Why no copy may be made, where it would publish what is private: Launchpad makes none then unless it is told to
 * (`unembargo`), which only a person should decide.
 */
async function leakOf(client: PpaClient, { ppa, target }: Copy): Promise<string | undefined> {
  const origin = await client.getArchive(ppa);
  if (!origin?.private) return undefined;
  const archive = archiveOf(target);
  const into = isPpa(archive) ? await client.getArchive(archive) : { private: false };
  // One that does not exist is told when the copy is asked for.
  if (!into || into.private) return undefined;
  return `${ppaReference(ppa)} is private and ${archiveReference(archive)} is not: Launchpad copies no private files to a public archive`;
}

/** What the target has of the package, or is about to publish, it does not refuse, whatever the PPA has by now. */
async function reasonToRefuse(
  client: PpaClient,
  { leak, state, ...copy }: Copy & { leak: string | undefined; state: PublicationState },
  one: PackageVersion,
): Promise<string | undefined> {
  if (state === 'pending' || state === 'published') return undefined;
  if (leak !== undefined) return leak;
  if ((await binariesInPpa(client, copy.ppa, one)).length === 0)
    return `${ppaReference(copy.ppa)} has not published all of ${one.version}`;
  const { archive, series } = placeOf(copy, one);
  const target = `${archiveReference(archive)} ${series}`;
  const newest = await newestIn(client, copy.target, one.source, pocketsOfChange(copy.target));
  if (newest !== null && compareVersions(newest, one.version) > 0)
    return `${target} has ${newest}, which is newer than ${one.version}`;
  if (state === 'foreign')
    return `${target} has a ${one.version} that ${ppaReference(copy.ppa)} has not built (${WAY_OUT})`;
  return (
    (await versionConflictIn(client, archive, copy.ppa, one)) ??
    fileConflictIn(client, archive, copy, one)
  );
}

/**
 * The file of the PPA's source that the archive has, or has had, with other contents, be it with another version:
 * Launchpad takes no copy then (`_checkConflictingFiles`). A landing may build where nobody had that file before.
 */
async function fileConflictIn(
  client: PpaClient,
  archive: Archive,
  { ppa }: Copy,
  one: PackageVersion,
): Promise<string | undefined> {
  const theirs = isPpa(archive)
    ? await client.getSourceHistory(archive, one.source)
    : await client.getLatestSources(archive, one.source);
  const [own] = theirs.length > 0 ? await client.getPublishedSources(ppa, one) : [];
  if (!own) return undefined;
  const files = [...(await publishedChecksums(client, own))].map(([name, sha256]) => ({
    name,
    sha256,
  }));
  return (await compareFiles(client, archive, { ...one, files }, theirs)).conflict;
}
