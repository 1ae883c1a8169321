import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeChanges } from './make-changes.ts';
import { runCommand } from './run-command.ts';
import { DEVELOPER, signUploads, type SignedUpload } from './sign-upload.ts';

/** A time as the end of a version: a later one is higher. */
export function versionStamp(now: Date): string {
  return now.toISOString().replace(/\D/g, '').slice(0, 14);
}

/**
 * Makes a new version of a source package with a changelog entry, as a developer would, and signs it with a key
 * made for the purpose.
 *
 * @param keysDirectory where the public key is put for the PPA to know it
 */
export async function makeNewVersion(options: {
  dsc: string;
  directory: string;
  series: string;
  keysDirectory: string;
  now: Date;
}): Promise<SignedUpload> {
  const { dsc, directory, series } = options;
  await mkdir(directory, { recursive: true });
  const inDirectory = { cwd: directory };
  await runCommand('dpkg-source', ['--no-check', '-x', dsc, 'tree'], inDirectory);
  const tree = { cwd: join(directory, 'tree'), environment: DEVELOPER };
  const before = (await runCommand('dpkg-parsechangelog', ['-S', 'Version'], tree)).trim();
  const version = `${before}+airline${versionStamp(options.now)}`;
  await runCommand(
    'dch',
    [
      '--newversion',
      version,
      '--distribution',
      series,
      '--force-distribution',
      'Rebuild for the demonstration.',
    ],
    tree,
  );
  // dpkg-buildpackage wants the upstream tarball beside the tree.
  const originals = (await readdir(dirname(dsc))).filter((file) =>
    /\.orig(?:-[a-z0-9-]+)?\.tar\./.test(file),
  );
  for (const file of originals)
    await runCommand('cp', [join(dirname(dsc), file), directory], inDirectory);
  const [signed] = await signUploads([await makeChanges(tree.cwd)], options.keysDirectory);
  if (!signed) throw new Error('The upload was not signed.');
  return signed;
}
