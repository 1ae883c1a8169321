import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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
 * and be published without them. What was there before passes: upstream tarballs, too, have an empty folder for a
 * submodule that Debian does not need, and of what Git LFS keeps the pointer.
 *
 * @param since the tree before; by default an empty one
 * @param except a folder at the top that is not judged
 * @param folder has the tree, unpacked without the folder `.pc`
 * @param into where it is in there; `tree` is the source itself
 * @throws AirlineError `source_not_made`, `source_too_large`
 */
export async function assertComplete(
  repository: GitRepository,
  run: RunTool,
  {
    tree,
    since,
    except,
    folder,
    into,
  }: {
    tree: string;
    since?: string | undefined;
    except?: string | undefined;
    folder: string;
    into: string;
  },
): Promise<void> {
  const changed = join(folder, 'changed');
  await repository.listChanges(tree, changed, { since, except, prefix: `${into}/` });
  const firstOf = async (...which: string[]) => {
    const among = ['-files0-from', changed, '-maxdepth', '0'];
    const { exitCode, stdout } = await run('find', [...among, ...which], { directory: folder });
    if (exitCode !== 0) throw notMade('its files cannot be read');
    const [path = ''] = stdout.split('\0');
    return path === '' ? undefined : shown(path);
  };
  // git lists no folder of its own.
  const submodule = await firstOf('-type', 'd', '-print0', '-quit');
  if (submodule !== undefined)
    throw notMade(`${submodule} is a submodule, and its files are not fetched`);
  const small = ['-type', 'f', '-size', `-${MAX_POINTER_BYTES}c`];
  const pointer = await firstOf(...small, '-exec', 'sh', '-c', PRINT_POINTERS, 'sh', '{}', '+');
  if (pointer !== undefined)
    throw notMade(`${pointer} is a pointer of Git LFS, and its file is not fetched`);
  await rm(changed);
}

/** A path as people know it who know the source. */
function shown(path: string): string {
  return path.replace(/^tree\//, '');
}
