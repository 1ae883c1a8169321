import { lstat, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { removeTree } from '../../sandbox/remove-tree.ts';
import { withTimeLimit } from '../../timing/time-limit.ts';

const PREFIX = 'airline-merge-';
/** No try takes as long. Workers of one machine share the folder of temporary files. */
const OLD_MS = 86_400_000;
const MAX_MS = 600_000;

/** Makes an empty folder for the work of an activity, which removes it when it ends. @returns its path */
export function makeWorkFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), PREFIX));
}

/**
 * Removes the work folders of this user that are older than a day: what has made them was killed. It takes 10 minutes
 * at most; what is left then, or cannot be removed, stays, and the log says so.
 *
 * @param signal ends it
 */
export async function removeOldWorkFolders({
  now = new Date(),
  signal,
  logger,
}: {
  now?: Date;
  signal: AbortSignal;
  logger: Logger;
}): Promise<void> {
  const warn = (folder: string) => (err: unknown) => {
    if (!signal.aborted) logger.warn({ folder, err }, 'could not remove what a worker has left');
  };
  const removeIfOld = async (folder: string, limit: AbortSignal) => {
    const found = await lstat(folder);
    const isOwn = found.isDirectory() && found.uid === process.getuid?.();
    if (!isOwn || now.getTime() - found.mtimeMs < OLD_MS) return;
    await removeTree(folder, limit);
    logger.info({ folder }, 'removed what a worker has left that was killed');
  };
  const root = tmpdir();
  await withTimeLimit({ ms: MAX_MS, signal }, async (limit) => {
    const names = (await readdir(root).catch(warn(root))) ?? [];
    for (const name of names)
      if (!limit.aborted && name.startsWith(PREFIX)) {
        const folder = join(root, name);
        await removeIfOld(folder, limit).catch(warn(folder));
      }
  });
}
