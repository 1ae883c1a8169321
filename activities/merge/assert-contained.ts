import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AirlineError } from '../../domain/errors.ts';
import { MAX_OUTPUT_BYTES, type RunTool } from './bounded-tool.ts';

/** dpkg-source reads and writes what is in these. */
const PLAIN_FOLDERS = ['debian', 'debian/source', 'debian/patches'];
/** Of some links, those to folders. */
const PRINT_FOLDERS = 'for link; do if [ -d "$link" ]; then printf "%s\\0" "${link#./}"; fi; done';
/** Of some links upstream, those in whose place the tree has a folder. */
const PRINT_REPLACED =
  'for link; do [ -L "$0/$link" ] || [ ! -d "$0/$link" ] || printf "%s\\0" "${link#./}"; done';

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
export async function assertNoWayOut(run: RunTool, work: string): Promise<void> {
  for (const path of PLAIN_FOLDERS) {
    const found = await lstat(join(work, path)).catch(() => undefined);
    if (found?.isSymbolicLink()) throw notMade(`${path} is a link`);
  }
  const debian = await lstat(join(work, 'debian')).catch(() => undefined);
  if (!debian?.isDirectory()) throw notMade('the merged tree has no folder debian');
  const root = await realpath(work);
  for (const path of await listLinks(run, work, ['debian', '-type', 'l', '-print0'])) {
    const full = join(work, path);
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
 * with a link to a folder that is not of the tree. Where a patch fails, it puts back files through such links. What a
 * link leads to once there are patches, `programs/patch` asks.
 *
 * @throws AirlineError `source_not_made`
 */
export async function assertPatchable(run: RunTool, tree: string): Promise<void> {
  if (await lstat(join(tree, '.pc')).catch(() => undefined)) throw notMade('it has a folder .pc');
  const toFolders = ['.', '-type', 'l', '-exec', 'sh', '-c', PRINT_FOLDERS, 'sh', '{}', '+'];
  const root = await realpath(tree);
  for (const path of await listLinks(run, tree, toFolders)) {
    const target = await realpath(join(tree, path)).catch(() => '');
    if (target !== root && !target.startsWith(root + sep))
      throw notMade(
        `${path} is a link to a folder outside the source, whose format may have patches`,
      );
  }
}

/**
 * Refuses an upstream source with a link where the tree has a folder: dpkg-source would compare what is in the folder
 * with what the link leads to, wherever that is by then. It could not write down such a change anyway. Of folders that
 * patches make, `programs/diff` asks.
 *
 * @param options.work the tree
 * @param options.exceptDebian what upstream has in `debian` is not compared
 * @throws AirlineError `source_not_made`
 */
export async function assertComparable(
  run: RunTool,
  upstream: string,
  { work, exceptDebian }: { work: string; exceptDebian: boolean },
): Promise<void> {
  const but = exceptDebian ? ['-path', './debian', '-prune', '-o'] : [];
  const replaced = ['-type', 'l', '-exec', 'sh', '-c', PRINT_REPLACED, work, '{}', '+'];
  const [path] = await listLinks(run, upstream, ['.', ...but, ...replaced]);
  if (path !== undefined)
    throw notMade(`${path} is a link upstream, and a folder in the merged tree`);
}

/** The paths that `find` prints: it holds none in memory, however many files strangers wrote. */
async function listLinks(run: RunTool, tree: string, args: readonly string[]): Promise<string[]> {
  const { exitCode, stdout } = await run('find', args, { directory: tree });
  if (exitCode !== 0 || Buffer.byteLength(stdout) >= MAX_OUTPUT_BYTES)
    throw notMade('its links cannot be listed');
  return stdout.split('\0').filter((part) => part !== '');
}

/** The error that says why there is no source package. */
export function notMade(why: string): AirlineError {
  return new AirlineError('source_not_made', `No source package can be made: ${why}`);
}
