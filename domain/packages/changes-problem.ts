import { fileStem } from './source-file.ts';
import type { Changes } from './source-package.ts';

/**
 * Why Launchpad rejects a source upload for its `.buildinfo`. One that a build has made, as `sbuild
 * --source-only-changes` lists it, counts as a package (`is_binaryful` in lib/lp/archiveuploader/buildinfofile.py).
 * Launchpad says so by mail, to the signer alone.
 *
 * @returns a sentence without its full stop; undefined where Launchpad takes it
 */
export function buildinfoProblem(
  changes: Pick<Changes, 'source' | 'version'> & { files: readonly { name: string }[] },
): string | undefined {
  const ofSource = `${fileStem(changes)}_source.buildinfo`;
  const ofBuild = changes.files.find(
    ({ name }) => name.endsWith('.buildinfo') && name !== ofSource,
  );
  return (
    ofBuild &&
    `it is not a source upload: it lists ${ofBuild.name}, and of all .buildinfo files Launchpad takes ${ofSource} alone`
  );
}

/**
 * Why Launchpad rejects a source upload for the section of its files, which dpkg-genchanges takes from debian/control
 * (`PackageUploadFile` in lib/lp/archiveuploader/nascentuploadfile.py). Which sections it knows besides, only its
 * database says. Launchpad says so by mail, to the signer alone.
 *
 * @returns a sentence without its full stop; undefined where nothing is known against it
 */
export function sectionProblem({ files }: Pick<Changes, 'files'>): string | undefined {
  return files.some(({ section }) => section === '-')
    ? 'the first paragraph of debian/control has no Section, and Launchpad takes no source without one: add it, such as `Section: misc`'
    : undefined;
}
