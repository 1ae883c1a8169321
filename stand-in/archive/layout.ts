import { join } from 'node:path';
import { isPpa, parseArchive, type Archive } from '../../domain/packages/archive.ts';

/** Where the stand-in keeps what, in its own folder of the state directory. */
export type Layout = ReturnType<typeof layoutOf>;

/** The paths below a state directory; none of them is made. */
export function layoutOf(stateDir: string) {
  const root = join(stateDir, 'stand-in');
  return {
    root,
    keysDir: join(root, 'keys'),
    incomingDir: join(root, 'incoming'),
    /** Uploads that could not be processed at all, for the operator. */
    failedDir: join(root, 'failed'),
    signingDir: join(root, 'signing'),
    /** Stands for the mails that Launchpad sends. */
    rejections: join(root, 'rejections.jsonl'),
    aptDir: join(root, 'apt'),
    /** The part of `aptDir` with the primary archives. */
    primaryDir: join(root, 'apt', '+primary'),
    /** Root of an archive's apt repository. */
    repositoryDir: (archive: string) => join(root, 'apt', repositoryPath(archive)),
    poolFile: (archive: string, source: string, file: string) =>
      join(root, 'apt', repositoryPath(archive), poolFolder(source), file),
    changesFile: (archive: string, file: string) =>
      join(root, 'changes', repositoryPath(archive), file),
    buildFile: (buildId: number, file: string) => join(root, 'builds', String(buildId), file),
  };
}

/** The folder of an archive, for its files. A `+` begins no name at Launchpad, so that no PPA is in the way. */
function repositoryPath(reference: string): string {
  const archive = archiveOf(reference);
  return isPpa(archive)
    ? join(archive.owner, archive.name, archive.distribution)
    : join('+primary', archive.distribution);
}

/** The path of an archive's apt repository on the web: for a PPA Launchpad's `<owner>/<ppa>/<distribution>`. */
export function repositoryAddress(reference: string): string {
  const archive = archiveOf(reference);
  return isPpa(archive)
    ? `/apt/${archive.owner}/${archive.name}/${archive.distribution}`
    : `/archive/${archive.distribution}`;
}

/** The pool folder of a source package, relative to the repository (Debian's layout). */
export function poolFolder(source: string): string {
  const prefix = source.startsWith('lib') ? source.slice(0, 4) : source.slice(0, 1);
  return join('pool', 'main', prefix, source);
}

/** The archive of a reference that the state holds. */
export function archiveOf(reference: string): Archive {
  const archive = parseArchive(reference);
  if (!archive) throw new Error(`${reference} is not an archive reference`);
  return archive;
}
