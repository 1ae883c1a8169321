import { lstat, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Moves what an unprivileged user has left out of its folder into one of ours, where no such user can put something
 * else in its place. What is moved may be anything: a link stays one, and leads where the user wants.
 *
 * @returns its path there, also where nothing was left that can be moved
 */
export async function takeOut(path: string, folder: string): Promise<string> {
  const taken = join(folder, basename(path));
  try {
    await rename(path, taken);
  } catch (error) {
    // Who is not root cannot move a folder that one of the subuids has put there.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EACCES') throw error;
  }
  return taken;
}

/** Whether a path in a folder of ours is that of a file which the user can have made. */
export async function isPlainFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  // A second name of a file is like a link: it may be one that is closed to the user (proc(5), protected_hardlinks).
  return found !== undefined && found.isFile() && found.nlink === 1;
}

/** Whether a path in a folder of ours is that of a folder, and of no link to one. */
export async function isPlainFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && found.isDirectory();
}
