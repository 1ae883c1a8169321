import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataStore } from '../../../store/store.ts';
import { ImageProblem, type StoredImage } from '../test-machine.ts';

const SUFFIX = '.tar.zst';

/** Images on this machine's own disk, by their checksums. */
export type ImageCache = {
  /** The path of an image, fetched where it is not here. @throws ImageProblem */
  path(image: StoredImage, signal: AbortSignal): Promise<string>;
};

/**
 * Opens a cache of images in a folder. Those used last stay, as many as fit; one that two ask for at once is fetched once.
 *
 * @param maxBytes of all together; the one that was asked for last stays whatever its size
 */
export async function openImageCache(
  directory: string,
  { store, maxBytes }: { store: DataStore; maxBytes: number },
): Promise<ImageCache> {
  await mkdir(directory, { recursive: true });
  // A fetch that a crash has cut off.
  for (const name of await readdir(directory))
    if (!name.endsWith(SUFFIX)) await rm(join(directory, name), { force: true });
  const fetching = new Map<string, Promise<void>>();
  const exists = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );

  async function fetchImage({ url, sha256 }: StoredImage, path: string, signal: AbortSignal) {
    const key = store.keyOf(url);
    const stored = key === undefined ? undefined : await store.get(key);
    if (!stored) throw new ImageProblem(`The data store has no image at ${url}.`);
    const sum = createHash('sha256');
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        sum.update(chunk);
        done(null, chunk);
      },
    });
    const partial = `${path}.partial`;
    try {
      await pipeline(stored.stream, measure, createWriteStream(partial), { signal });
      if (sum.digest('hex') !== sha256)
        throw new ImageProblem(`The image at ${url} is not the one that was made.`);
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
  }

  async function makeRoom(kept: string): Promise<void> {
    const files = await Promise.all(
      (await readdir(directory))
        .filter((name) => name.endsWith(SUFFIX))
        .map(async (name) => {
          const { size, mtimeMs } = await stat(join(directory, name));
          return { name, size, mtimeMs };
        }),
    );
    let left = maxBytes;
    for (const { name, size } of files.toSorted((one, other) => other.mtimeMs - one.mtimeMs)) {
      left -= size;
      // Whoever has it open goes on reading it.
      if (left < 0 && name !== kept) await rm(join(directory, name), { force: true });
    }
  }

  return {
    async path(image, signal) {
      const name = `${image.sha256}${SUFFIX}`;
      const path = join(directory, name);
      while (!(await exists(path))) {
        const other = fetching.get(name);
        if (other) {
          await other.catch(() => undefined);
          signal.throwIfAborted();
          continue;
        }
        const own = fetchImage(image, path, signal).finally(() => fetching.delete(name));
        fetching.set(name, own);
        await own;
      }
      await utimes(path, new Date(), new Date());
      await makeRoom(name);
      return path;
    },
  };
}
