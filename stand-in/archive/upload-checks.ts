import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { fileStem, fileVersion, isUpstreamFile } from '../../domain/packages/source-file.ts';
import { formatProblem } from '../../domain/packages/source-format.ts';
import type {
  Changes,
  ChangesFile,
  ListedFile,
  SourceControl,
} from '../../domain/packages/source-package.ts';
import type { UploadTarget } from '../ftp/upload-path.ts';
import type { Distributions } from '../options.ts';
import type { ArchiveState } from './archive-state.ts';
import { difference, digestFile, type Digests } from './file-checks.ts';
import { isActive, type SourcePublication, type StoredFile } from './records.ts';
import { reject } from './upload-rejection.ts';

/*
 * What Launchpad checks before it accepts a source. Every check that fails throws a Rejection in Launchpad's words.
 */

/** The series that an upload is for: that of its path, or else that of its `.changes`. */
export function seriesOf(
  { ppa, suite }: UploadTarget,
  changes: Changes,
  distributions: Distributions,
): string {
  const allSeries = Object.hasOwn(distributions, ppa.distribution)
    ? (distributions[ppa.distribution] as readonly string[])
    : reject(`Could not find distribution '${ppa.distribution}'.`);
  const [, series = '', pocket] = /^(.*?)(?:-(security|updates|proposed|backports))?$/.exec(
    suite ?? changes.distribution,
  ) as RegExpExecArray;
  if (!allSeries.includes(series)) reject(`Unable to find distroseries: ${series}`);
  if (pocket) reject('PPA uploads must be for the RELEASE pocket.');
  return series;
}

/** Checks what a `.changes` lists. @returns its `.dsc` */
export function checkChanges(changes: Changes, fileName: string): ChangesFile {
  if (changes.architectures.join(' ') !== 'source')
    reject('Source/binary (i.e. mixed) uploads are not allowed.');
  if (fileName !== `${fileStem(changes)}_source.changes`)
    reject(`${fileName} is not named after its source and version.`);
  const [dscFile, ...more] = changes.files.filter((file) => file.name.endsWith('.dsc'));
  if (!dscFile || more.length > 0)
    return reject('A source upload has to have exactly one .dsc file.');
  if (dscFile.name !== `${fileStem(changes)}.dsc`)
    reject(`${dscFile.name} is not named after its source and version.`);
  const binary = changes.files.find((file) => /\.(deb|udeb|ddeb)$/.test(file.name));
  if (binary) reject(`${binary.name}: a source upload holds no binary packages.`);
  for (const { name, section } of changes.files) {
    if (section === '-') reject(`${name}: Unknown section '-'`);
    checkBuildinfo(name, changes);
  }
  return dscFile;
}

/** By its name alone, as Launchpad does (lib/lp/archiveuploader/buildinfofile.py). */
function checkBuildinfo(name: string, { version }: Changes): void {
  const [, ofVersion, architecture] = /^.+?_(.+?)_(.+)\.buildinfo$/.exec(name) ?? [];
  if (ofVersion === undefined) return;
  if (architecture !== 'source') reject('Mismatch in binaryfulness. (arch) False != (files) True');
  if (ofVersion !== fileVersion(version))
    reject(`${ofVersion}: should be ${fileVersion(version)} according to changes file.`);
}

/** Checks one file of an upload against the `.changes` that lists it. */
export async function checkPresent(uploadDir: string, listed: ListedFile): Promise<Digests> {
  const path = join(uploadDir, listed.name);
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile())
    return reject(`File ${listed.name} mentioned in the changes is not in the upload.`);
  const digests = await digestFile(path);
  const why = difference(digests, listed);
  return why === undefined ? digests : reject(why);
}

/** Checks that a source is of a format, and of files, that Launchpad takes. */
export function checkFormat(dsc: SourceControl, fileName: string): void {
  const problem = formatProblem(dsc);
  if (problem !== undefined) reject(`${fileName}: ${problem}`);
}

/** A file that an archive has, with a publication that it is of. */
type HeldFile = { file: StoredFile; holder: SourcePublication };

/**
 * The files, by their names, that an upload to a PPA may leave out, and may not bring with other contents: all that the
 * PPA has had, and upstream's of its distribution's primary archive. Where both have one, that of the PPA counts
 * (Launchpad, `_getFileByName` of lib/lp/archiveuploader/dscfile.py).
 */
export function heldFiles(state: ArchiveState, ppa: Ppa): ReadonlyMap<string, HeldFile> {
  const filesOf = (archive: string): HeldFile[] =>
    state.sources(archive).flatMap((holder) => holder.files.map((file) => ({ file, holder })));
  const upstream = filesOf(ppa.distribution).filter(({ file }) => isUpstreamFile(file.name));
  return new Map(
    [...upstream, ...filesOf(ppaReference(ppa))].map((held) => [held.file.name, held]),
  );
}

/** The files of a `.dsc`, each of which is in the upload or already in an archive. */
export function checkSourceFiles(
  dsc: SourceControl,
  uploaded: ReadonlyMap<string, Digests>,
  inArchive: (name: string) => StoredFile | undefined,
): void {
  for (const listed of dsc.files) {
    const digests = uploaded.get(listed.name);
    const why = digests && difference(digests, listed);
    if (why !== undefined) reject(why);
    if (digests) continue;
    const held = inArchive(listed.name);
    if (!held)
      reject(
        `Unable to find ${listed.name} in upload or distribution. Files specified in DSC are broken or missing, skipping package unpack verification.`,
      );
    if (held && (held.sha256 !== listed.sha256 || held.sizeBytes !== listed.sizeBytes))
      reject(`File ${listed.name} in the archive differs from what the .dsc says of it.`);
  }
}

/** Checks that a PPA never had a version, and has none in its series that is as high. */
export function checkVersion(
  state: ArchiveState,
  archive: string,
  series: string,
  { source, version }: Changes,
): void {
  const published = state.sources(archive).filter((publication) => publication.source === source);
  const same = published.find((publication) => publication.version === version);
  if (same)
    reject(
      `The source ${source} - ${version} is already accepted in ${same.archive}/${same.series} and you cannot upload the same version within the same distribution. You have to modify the source version and re-upload.`,
    );
  for (const older of published)
    if (isActive(older) && older.series === series && compareVersions(version, older.version) <= 0)
      reject(`Version older than that in the archive. ${version} <= ${older.version}`);
}
