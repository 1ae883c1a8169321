import { createHash } from 'node:crypto';
import { link, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolder } from './read-folder.ts';

/** apt asks by the strongest hash that Release lists, debootstrap by SHA256. */
const ALGORITHMS = ['SHA256', 'SHA512'];
const MAX_EARLIER = 40;

/**
 * Lets the indexes of a folder be fetched by their hashes, too, and with them the latest of those that they replace:
 * who has read InRelease finds the indexes that it names, whatever was published meanwhile (Acquire-By-Hash of Debian's
 * repository format; Launchpad's archives have it).
 *
 * @param folder holds the new indexes, and nothing else
 * @param replaced the folder that is served in its place so far; it need not exist
 */
export async function linkByHash(folder: string, replaced: string): Promise<void> {
  const indexes = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, content: await readFile(path) };
    }),
  );
  for (const algorithm of ALGORITHMS) {
    const byHash = join('by-hash', algorithm);
    await mkdir(join(folder, byHash), { recursive: true });
    for (const { path, content } of indexes)
      await link(path, join(folder, byHash, createHash(algorithm).update(content).digest('hex')));
    for (const hash of await latestOf(join(replaced, byHash)))
      await link(join(replaced, byHash, hash), join(folder, byHash, hash)).catch(unlessThere);
  }
}

/** Names of the files of a folder that were written last. */
async function latestOf(folder: string): Promise<string[]> {
  const files = await Promise.all(
    (await readFolder(folder)).map(async (name) => ({
      name,
      writtenMs: (await stat(join(folder, name))).mtimeMs,
    })),
  );
  return files
    .toSorted((one, other) => other.writtenMs - one.writtenMs)
    .slice(0, MAX_EARLIER)
    .map(({ name }) => name);
}

/** An index that has not changed is there already. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
