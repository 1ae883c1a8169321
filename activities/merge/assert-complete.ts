import { notMade } from './assert-contained.ts';
import type { RunTool } from './bounded-tool.ts';
import type { GitRepository } from './git-repository.ts';

/**
 * Of some files, those that begin as pointers of Git LFS do (docs/spec.md of github.com/git-lfs/git-lfs). Without any,
 * grep ends with 1.
 */
const PRINT_POINTERS = String.raw`grep --files-with-matches --null --null-data --perl-regexp \
  '\Aversion https://git-lfs\.github\.com/spec/v1\n' "$@" || [ $? -eq 1 ]`;
/** As the same page bounds them. */
const MAX_POINTER_BYTES = 1_024;

/**
 * Refuses a tree whose contents are elsewhere in part, in a submodule or with Git LFS: what is made of it might build,
 * and be published without them. A submodule that was there before passes: upstream tarballs, too, have an empty folder
 * for one that Debian does not need.
 *
 * @param tree was written as an archive, so that it can be listed
 * @param since the tree before; by default it has no submodule
 * @param folder has the tree, unpacked
 * @param into where it is in there; `tree` is the source itself
 * @throws AirlineError `source_not_made`
 */
export async function assertComplete(
  repository: GitRepository,
  run: RunTool,
  {
    tree,
    since,
    folder,
    into,
  }: { tree: string; since?: string | undefined; folder: string; into: string },
): Promise<void> {
  const submodule = await repository.submoduleOf(tree, since);
  if (submodule !== undefined)
    throw notMade(`${shown(`${into}/${submodule}`)} is a submodule, and its files are not fetched`);
  const small = [into, '-type', 'f', '-size', `-${MAX_POINTER_BYTES}c`];
  const print = ['-exec', 'sh', '-c', PRINT_POINTERS, 'sh', '{}', '+'];
  const { exitCode, stdout } = await run('find', [...small, ...print], { directory: folder });
  if (exitCode !== 0) throw notMade('its files cannot be read');
  const [pointer = ''] = stdout.split('\0');
  if (pointer !== '')
    throw notMade(`${shown(pointer)} is a pointer of Git LFS, and its file is not fetched`);
}

/** A path as people know it who know the source. */
function shown(path: string): string {
  return path.replace(/^tree\//, '');
}
