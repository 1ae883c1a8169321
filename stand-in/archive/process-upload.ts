import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Logger } from 'pino';
import { ppaReference } from '../../domain/packages/ppa.ts';
import {
  parseChanges,
  parseSourceControl,
  type ChangesFile,
  type ListedFile,
} from '../../domain/packages/source-package.ts';
import { noUploadRights, type Accounts } from './accounts.ts';
import type { ArchiveState } from './archive-state.ts';
import { buildableOn } from './buildable-architectures.ts';
import { digestFile, keepFile, type Digests } from './file-checks.ts';
import type { Layout } from './layout.ts';
import { newBuild, now, type SourcePublication, type StoredFile } from './records.ts';
import type { ScriptFile } from '../script/script.ts';
import { openKeyring, type Keyring, type Verified } from './signature.ts';
import { parseUploadPath } from '../ftp/upload-path.ts';
import type { Distributions } from '../options.ts';
import {
  checkChanges,
  checkFormat,
  checkPresent,
  checkSourceFiles,
  checkVersion,
  heldFiles,
  seriesOf,
} from './upload-checks.ts';
import { isRejection, reject } from './upload-rejection.ts';

const MAX_CONTROL_FILE_BYTES = 10 * 2 ** 20;

/** What became of one `.changes`. Silence is Launchpad's answer to a signature it cannot vouch for. */
export type UploadResult =
  | { outcome: 'accepted'; publication: SourcePublication }
  | { outcome: 'silent'; why: string; changes: string | null }
  | { outcome: 'rejected'; why: string; changes: string };

export type UploadDependencies = {
  state: ArchiveState;
  layout: Layout;
  distributions: Distributions;
  architectures: readonly [string, ...string[]];
  accounts: Accounts;
  script: ScriptFile | undefined;
  logger: Logger;
};

class Silence extends Error {}

/**
 * Processes one upload as Launchpad's policy `insecure` does. What it accepts becomes one pending publication and all
 * its build records in one transaction; what it does not accept leaves no record. What it has accepted of the upload
 * before stays as it is.
 *
 * @param uploadDir a folder of the incoming queue, named by its upload id; it is not changed
 * @throws where the machine failed, not the upload: the upload can be processed again
 */
export async function processUpload(
  uploadDir: string,
  uploadId: string,
  dependencies: UploadDependencies,
): Promise<UploadResult[]> {
  const paths = await findChanges(uploadDir);
  if (paths.length === 0)
    return [{ outcome: 'silent', changes: null, why: 'the upload holds no .changes' }];
  const keyring = await openKeyring(dependencies.layout.keysDir);
  try {
    const results: UploadResult[] = [];
    for (const path of paths) {
      const changes = relative(uploadDir, path);
      try {
        results.push({
          outcome: 'accepted',
          publication: await acceptSource(path, changes, uploadId, keyring, dependencies),
        });
      } catch (error) {
        if (error instanceof Silence)
          results.push({ outcome: 'silent', changes, why: error.message });
        else if (isRejection(error))
          results.push({ outcome: 'rejected', changes, why: error.message });
        else throw error;
      }
    }
    return results;
  } finally {
    await keyring.close();
  }
}

async function acceptSource(
  changesPath: string,
  changesName: string,
  uploadId: string,
  keyring: Keyring,
  { state, layout, distributions, architectures, accounts, script }: UploadDependencies,
): Promise<SourcePublication> {
  const uploadDir = join(changesPath, '..');
  const fileName = changesName.split('/').at(-1) as string;
  const verified = await verify(keyring, changesPath, fileName);
  const changes = parseChanges(verified.text, fileName);

  const folder = changesName.split('/').slice(0, -1).join('/');
  const target = parseUploadPath(folder) ?? reject(`Path mismatch '${folder}'.`);
  const archive = ppaReference(target.ppa);
  if (script && !script.hasPpa(archive)) reject(`Could not find a PPA at ${archive}.`);
  const whyDisabled = accounts.whyDisabled(target.ppa);
  if (whyDisabled !== undefined) reject(whyDisabled);
  const signer = accounts.judgeSigner(verified.fingerprint, target.ppa);
  if (signer === 'unknown') throw new Silence(`${fileName} is signed by a key of no account`);
  if (signer === 'not_allowed') reject(noUploadRights(target.ppa));
  const series = seriesOf(target, changes, distributions);
  // An earlier round may have come so far, and no further.
  const accepted = state
    .sources(archive)
    .find(
      (one) => one.uploadId === uploadId && one.series === series && one.changes.name === fileName,
    );
  if (accepted) return accepted;
  const dscFile = checkChanges(changes, fileName);

  const digests = new Map<string, Digests>();
  for (const listed of changes.files)
    digests.set(listed.name, await checkPresent(uploadDir, listed));
  const dsc = parseSourceControl(
    (await verify(keyring, join(uploadDir, dscFile.name), dscFile.name)).text,
    dscFile.name,
  );
  if (dsc.source !== changes.source || dsc.version !== changes.version)
    reject(`${dscFile.name}: source and version differ from what the changes file says.`);

  checkFormat(dsc, dscFile.name);
  const known = heldFiles(state, target.ppa);
  checkSourceFiles(dsc, digests, (name) => known.get(name)?.file);
  const files = [dscFile, ...dsc.files].map(stored);
  for (const file of files) {
    const held = known.get(file.name);
    if (held && held.file.sha256 !== file.sha256)
      reject(
        `File ${file.name} already exists in ${held.holder.archive}, but uploaded version has different contents.`,
      );
  }
  checkVersion(state, archive, series, changes);
  const buildable = await buildableOn(dsc, architectures);
  const scripted = script?.source(changes.source)?.rejected;
  if (scripted !== undefined) reject(scripted);

  for (const file of files) {
    const uploaded = join(uploadDir, file.name);
    const kept = layout.poolFile(archive, changes.source, file.name);
    const holder = known.get(file.name)?.holder;
    if (digests.has(file.name)) await keepFile(uploaded, kept);
    // A tarball that only another source or archive has is needed in this one's folder too.
    else if (holder && (holder.archive !== archive || holder.source !== changes.source))
      await keepFile(layout.poolFile(holder.archive, holder.source, file.name), kept);
  }
  const changesDigests = await digestFile(changesPath);
  await keepFile(changesPath, layout.changesFile(archive, fileName));

  return state.transact((transaction) => {
    const createdAt = now();
    const id = transaction.nextId();
    const publication: SourcePublication = {
      id,
      archive,
      releaseId: id,
      source: changes.source,
      version: changes.version,
      series,
      pocket: 'Release',
      component: 'main',
      section: sectionOf(dscFile),
      status: 'Pending',
      createdAt,
      publishedAt: null,
      supersededAt: null,
      removedAt: null,
      removalComment: null,
      signer: verified.fingerprint,
      changedBy: changes.changedBy,
      uploadId,
      changes: { name: fileName, ...pick(changesDigests) },
      files,
    };
    transaction.put('source', publication);
    for (const each of buildable)
      transaction.put('build', newBuild(transaction.nextId(), publication, each));
    return publication;
  });
}

/** Every `.changes` of an upload, source uploads first, as Launchpad orders them. */
async function findChanges(uploadDir: string): Promise<string[]> {
  const entries = await readdir(uploadDir, { recursive: true, withFileTypes: true });
  const isSource = (path: string) => path.endsWith('_source.changes');
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.changes'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => Number(isSource(b)) - Number(isSource(a)) || (a < b ? -1 : 1));
}

async function verify(keyring: Keyring, path: string, name: string): Promise<Verified> {
  if ((await lstat(path)).size > MAX_CONTROL_FILE_BYTES) reject(`${name} is too large.`);
  const verified = await keyring.verify(path);
  if (!verified) throw new Silence(`${name} is not signed by a key that is known here`);
  return verified;
}

/** Without its component, which is always main in a PPA. */
function sectionOf({ section }: ChangesFile): string {
  return section.split('/').at(-1) ?? '';
}

const pick = ({ sizeBytes, sha256 }: Digests) => ({ sizeBytes, sha256 });
const stored = ({ name, sizeBytes, sha256 }: ListedFile): StoredFile => ({
  name,
  sizeBytes,
  sha256,
});
