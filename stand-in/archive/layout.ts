import { join } from 'node:path';
import { parsePpa, ppaReference, type Ppa } from '../../domain/ppa.ts';

/** Where the stand-in keeps what, in its own folder of the state directory. */
export type Layout = ReturnType<typeof layoutOf>;

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
    /** Root of a PPA's apt repository. */
    repositoryDir: (archive: string) => join(root, 'apt', repositoryPath(archive)),
    poolFile: (archive: string, source: string, file: string) =>
      join(root, 'apt', repositoryPath(archive), poolFolder(source), file),
    changesFile: (archive: string, file: string) =>
      join(root, 'changes', repositoryPath(archive), file),
    buildFile: (buildId: number, file: string) => join(root, 'builds', String(buildId), file),
  };
}

/** Launchpad's public layout, `<owner>/<ppa>/<distribution>`. */
export function repositoryPath(archive: string): string {
  const ppa = ppaOf(archive);
  return join(ppa.owner, ppa.name, ppa.distribution);
}

/** The pool folder of a source package, relative to the repository (Debian's layout). */
export function poolFolder(source: string): string {
  const prefix = source.startsWith('lib') ? source.slice(0, 4) : source.slice(0, 1);
  return join('pool', 'main', prefix, source);
}

/** The PPA of a reference that the state holds. */
export function ppaOf(archive: string): Ppa {
  const ppa = parsePpa(archive, '');
  if (!ppa || ppaReference(ppa) !== archive)
    throw new Error(`${archive} is not an archive reference`);
  return ppa;
}
