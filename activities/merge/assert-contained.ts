import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AirlineError } from '../../domain/errors.ts';
import { MAX_OUTPUT_BYTES, type RunTool } from './bounded-tool.ts';

/** dpkg-source reads and writes what is in these. */
const PLAIN_FOLDERS = ['debian', 'debian/source', 'debian/patches'];
/** Of some links, those to folders. */
const PRINT_FOLDERS = 'for link; do if [ -d "$link" ]; then printf "%s\\0" "${link#./}"; fi; done';

/**
 * Refuses a link by which dpkg-source would read or write, for `debian`, what is not of the tree, such as a file of the
 * worker's own. Links elsewhere are packed as links.
 *
 * - Every link within `debian` leads to a file of the tree.
 * - Those within `debian/patches` lead to a neighbour: these are read beside the upstream source, too, where what the
 *   tree has outside `debian` may be something else.
 *
 * @param work the tree
 * @throws AirlineError `source_not_made`
 */
export async function assertNoWayOut(work: string): Promise<void> {
  for (const path of PLAIN_FOLDERS) {
    const found = await lstat(join(work, path)).catch(() => undefined);
    if (found?.isSymbolicLink()) throw notMade(`${path} is a link`);
  }
  const root = await realpath(work);
  const debian = join(work, 'debian');
  const entries = await readdir(debian, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.length === 0) throw notMade('the merged tree has no folder debian with files');
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(work.length + 1);
    const target = await realpath(full).catch(() => undefined);
    if (target === undefined) throw notMade(`${path} is a link to nothing`);
    if (!target.startsWith(root + sep))
      throw notMade(`${path} is a link that leads out of the tree`);
    if (!(await stat(target)).isFile()) throw notMade(`${path} is a link to no file`);
    if (path.startsWith('debian/patches/') && (await readlink(full)).includes('/'))
      throw notMade(`${path} is a link to another folder`);
  }
}

/**
 * Refuses a tree in which dpkg-source would write elsewhere while it applies patches: one with quilt's own folder, or
 * with a link to a folder that is not of the tree. Where a patch fails, it puts back files through such links. Without
 * any patch it still reads through them: what the tree has in a folder, and upstream in such a link, it compares.
 *
 * @throws AirlineError `source_not_made`
 */
export async function assertPatchable(run: RunTool, tree: string): Promise<void> {
  if (await lstat(join(tree, '.pc')).catch(() => undefined)) throw notMade('it has a folder .pc');
  const { exitCode, stdout } = await run(
    'find',
    ['.', '-type', 'l', '-exec', 'sh', '-c', PRINT_FOLDERS, 'sh', '{}', '+'],
    { directory: tree },
  );
  if (exitCode !== 0 || Buffer.byteLength(stdout) >= MAX_OUTPUT_BYTES)
    throw notMade('its links cannot be listed');
  const root = await realpath(tree);
  for (const path of stdout.split('\0').filter((part) => part !== '')) {
    const target = await realpath(join(tree, path)).catch(() => '');
    if (target !== root && !target.startsWith(root + sep))
      throw notMade(
        `${path} is a link to a folder outside the source, whose format may have patches`,
      );
  }
}

/** The error that says why there is no source package. */
export function notMade(why: string): AirlineError {
  return new AirlineError('source_not_made', `No source package can be made: ${why}`);
}
