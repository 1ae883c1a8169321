import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

/**
 * Makes an unsigned source upload of an unpacked source package, beside it.
 *
 * @param tree the folder with `debian/`
 * @returns the path of the `.changes`
 */
export async function makeChanges(tree: string): Promise<string> {
  await runCommand(
    'dpkg-buildpackage',
    [
      '--build=source',
      '--no-pre-clean',
      '--no-check-builddeps',
      '--unsigned-source',
      '--unsigned-changes',
      '-sa',
      '-renv',
    ],
    { cwd: tree },
  );
  const directory = join(tree, '..');
  const changes = (await readdir(directory)).find((file) => file.endsWith('_source.changes'));
  if (!changes) throw new Error('dpkg-buildpackage made no .changes.');
  return join(directory, changes);
}
