import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { measuredStream } from '../../../store/measured-stream.ts';
import type { DataStore } from '../../../store/store.ts';
import { ImageLost, type StoredImage } from '../test-machine.ts';

const SUFFIX = '.tar.zst';

/** Images on this machine's own disk, by their checksums. */
export type ImageCache = {
  /**
   * Does work with the file of an image, which is fetched where it is not here. The work's path to it stays until the
   * work has ended.
   *
   * @throws ImageLost where it cannot be fetched
   */
  use<T>(image: StoredImage, signal: AbortSignal, work: (path: string) => Promise<T>): Promise<T>;
};

/**
 * Opens a cache of images in a folder. Those used last stay, as many as fit; one that two ask for at once is fetched
 * once. One that is there already is read through before its first use, and fetched anew where it is not what was made.
 *
 * @param directory may be shared with other processes
 * @param own of this process alone, on the same disk: what it fetches and uses. The caller empties it after a crash
 * @param maxBytes of all together; those in use stay whatever their size
 */
export async function openImageCache(
  directory: string,
  own: string,
  { store, maxBytes }: { store: DataStore; maxBytes: number },
): Promise<ImageCache> {
  for (const each of [directory, own]) await mkdir(each, { recursive: true });
  const preparing = new Map<string, Promise<void>>();
  /** What was there before: a machine that loses its power may leave a file with its name, and without all of it. */
  const unread = new Set(await readdir(directory));
  /** How many use each image. */
  const uses = new Map<string, number>();
  let makingRoom = Promise.resolve();

  async function fetchImage({ url, sha256 }: StoredImage, path: string, signal: AbortSignal) {
    const key = store.keyOf(url);
    const stored = key === undefined ? undefined : await store.get(key);
    if (!stored) throw new ImageLost(`The data store has no image at ${url}.`);
    const { measured, content } = measuredStream();
    const partial = join(own, `${randomUUID()}.partial`);
    try {
      await pipeline(stored.stream, measured, createWriteStream(partial), { signal });
      if (content().sha256 !== sha256)
        throw new ImageLost(`The image at ${url} is not the one that was made.`);
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Fetches an image; one that was there before is only read, and removed where it is not what was made. */
  async function prepare(image: StoredImage, path: string, signal: AbortSignal): Promise<void> {
    const name = basename(path);
    if (!unread.has(name)) return fetchImage(image, path, signal);
    const sha256 = await unlessMissing(checksumOf(path, signal));
    if (sha256 !== image.sha256) await rm(path, { force: true });
    unread.delete(name);
  }

  async function removeUnused(): Promise<void> {
    const names = (await readdir(directory)).filter((name) => name.endsWith(SUFFIX));
    const files = await Promise.all(
      names.map(async (name) => {
        const found = await unlessMissing(stat(join(directory, name)));
        return { name, size: found?.size ?? 0, mtimeMs: found?.mtimeMs ?? 0 };
      }),
    );
    let left = maxBytes;
    for (const { name, size } of files.toSorted((one, other) => other.mtimeMs - one.mtimeMs)) {
      left -= size;
      // Another process may use it all the same, by a link of its own.
      if (left < 0 && !uses.has(name)) await rm(join(directory, name), { force: true });
    }
  }

  /** Links an image, which is fetched where it is not here, and notes that it was used. */
  async function provide(
    image: StoredImage,
    { path, linked }: { path: string; linked: string },
    signal: AbortSignal,
  ): Promise<void> {
    // What removes it now does not know yet that it is in use.
    await makingRoom.catch(() => undefined);
    while (unread.has(basename(path)) || !(await wasLinked(path, linked))) {
      const other = preparing.get(path);
      if (other) await other.catch(() => undefined);
      else {
        const own = prepare(image, path, signal).finally(() => preparing.delete(path));
        preparing.set(path, own);
        await own;
      }
      signal.throwIfAborted();
    }
    makingRoom = makingRoom.catch(() => undefined).then(removeUnused);
    await makingRoom;
  }

  return {
    async use(image, signal, work) {
      const name = `${image.sha256}${SUFFIX}`;
      const path = join(directory, name);
      const linked = join(own, `${randomUUID()}${SUFFIX}`);
      uses.set(name, (uses.get(name) ?? 0) + 1);
      try {
        await provide(image, { path, linked }, signal);
        return await work(linked);
      } finally {
        await rm(linked, { force: true });
        const others = (uses.get(name) ?? 1) - 1;
        if (others === 0) uses.delete(name);
        else uses.set(name, others);
      }
    },
  };
}

async function checksumOf(path: string, signal: AbortSignal): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal })) sha256.update(chunk as Buffer);
  return sha256.digest('hex');
}

/** False where there is no such file. */
async function wasLinked(path: string, linked: string): Promise<boolean> {
  const now = new Date();
  const linking = link(path, linked).then(() => utimes(linked, now, now));
  return (await unlessMissing(linking.then(() => true))) ?? false;
}

/** Undefined where the file is not there: other processes may use the folder, too. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
