import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fstatSync,
  open as openWithCallback,
  type Stats,
} from 'node:fs';
import {
  chown,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { measuredStream } from './measured-stream.ts';
import { ABANDONED_MS, onceADay } from './once-a-day.ts';
import {
  assertKey,
  contentTypeOf,
  type DataStore,
  storeAddresses,
  type StoreAddresses,
  StoreKeyError,
  StoreUnavailableError,
  takingOver,
  UPLOADS,
} from './store.ts';

/** Folder of the files that are still coming in; no key reaches it. */
const INCOMING = '.incoming';
/**
 * Ends the names of the folders below `uploads/`, where callers choose the keys: one may name a file where another
 * wants a folder. No key has it, so that no file is in the way of a folder.
 */
const FOLDER_MARK = '%';
const CHUNK_BYTES = 256 * 1_024;
/** Times that a folder may be gone before a file is in it. */
const MAX_FOLDER_TRIES = 5;
/** One may be held back, one is in use or done with, one is being filled; one more is for safety. */
const SHARED_CHUNKS = 4;
const SHARED_CHUNK_BYTES = 512 * 1_024;

/** What a disk answers that takes nothing; it may be mended. */
const DISK_FAULTS = new Map([
  ['ENOSPC', 'has no space left'],
  ['EDQUOT', 'has no space left for this user'],
  ['EROFS', 'cannot be written'],
  ['EIO', 'has failed'],
]);

const openDescriptor = promisify(openWithCallback);

/**
 * A data store in a folder. A file appears under its key by a rename, after it is on the disk.
 *
 * What a crash left in `.incoming` is removed a day after it, and at a put: each process looks for it once a day.
 *
 * @param options.directory made where it is absent
 * @param options.now ms since 1970
 */
export function createFileStore({
  directory,
  now = Date.now,
  ...addresses
}: { directory: string; now?: () => number } & StoreAddresses): DataStore {
  const pathOf = (key: string) => {
    assertKey(key);
    if (key.split('/')[0] === INCOMING) throw new StoreKeyError(`No key is under ${INCOMING}.`);
    return join(directory, placeOf(key));
  };
  /**
   * The first of the places where a key's file may be that has something to open: earlier versions marked no folders.
   */
  const first = async <T>(key: string, look: (path: string) => Promise<T>) => {
    for (const path of new Set([pathOf(key), join(directory, key)])) {
      const found = await look(path).catch(unlessMissing);
      if (found !== undefined) return { path, found };
    }
    return undefined;
  };
  const prepare = onceADay(() => prepareIncoming(directory, now() - ABANDONED_MS), now);
  return {
    put: (key, stream, { keepsFirst = false } = {}) =>
      takingOver(stream, async () => {
        const path = pathOf(key);
        await prepare().catch((error: unknown) => {
          throw asDiskFault(error);
        });
        const incoming = join(directory, INCOMING, randomUUID());
        const { measured, content } = measuredStream(CHUNK_BYTES);
        try {
          const file = await open(incoming, 'wx');
          try {
            await giveTo(directory, [incoming]);
            await pipeline(
              stream,
              measured,
              file.createWriteStream({ highWaterMark: CHUNK_BYTES, flush: true }),
            );
          } finally {
            await file.close();
          }
          // Unlike a rename, a link fails where there is a file: of all processes, the first one has it.
          const place = keepsFirst ? link : rename;
          await inFolder(dirname(path), directory, () => place(incoming, path));
          if (keepsFirst) await rm(incoming);
          await syncDirectory(dirname(path));
        } catch (error) {
          await rm(incoming, { force: true });
          if (!keepsFirst || (error as NodeJS.ErrnoException).code !== 'EEXIST')
            throw asDiskFault(error);
          return { ...content(), isKept: false };
        }
        return { ...content(), isKept: true };
      }),

    async get(key, { choosePart } = {}) {
      // A descriptor, not a FileHandle, whose streams take half as long again for each byte.
      const opened = await first(key, (path) => openDescriptor(path, 'r'));
      if (!opened) return undefined;
      const { path, found: fd } = opened;
      const found = fstatSync(fd);
      if (!found.isFile()) {
        closeSync(fd);
        return undefined;
      }
      const file = {
        sizeBytes: found.size,
        contentType: contentTypeOf(key),
        storedAt: found.mtime,
        version: versionOf(found),
      };
      const part = choosePart?.(file);
      const stream = createReadStream(path, { fd, highWaterMark: CHUNK_BYTES, ...part });
      return { ...file, stream, ...(part && { part }) };
    },

    async read(key) {
      const { path, found } = (await first(key, (one) => stat(one))) ?? {};
      if (!path || !found?.isFile()) return undefined;
      return { sizeBytes: found.size, version: versionOf(found), chunks: readChunks(path, found) };
    },

    async *list(folder) {
      for (const place of new Set([placeOf(folder), folder]))
        for await (const path of filesBelow(join(directory, place))) {
          const found = await stat(path).catch(unlessMissing);
          if (found) yield { key: keyAt(relative(directory, path)), storedAt: found.mtime };
        }
    },

    async remove(key) {
      const { path } = (await first(key, (one) => stat(one))) ?? {};
      if (!path) return;
      await rm(path, { force: true });
      await removeEmptyFolders(dirname(path), directory);
    },

    ...storeAddresses(addresses, pathOf),
  };
}

function asDiskFault(error: unknown): unknown {
  const fault = DISK_FAULTS.get((error as NodeJS.ErrnoException).code ?? '');
  if (fault === undefined) return error;
  return new StoreUnavailableError(`The disk of the data store ${fault}.`, { cause: error });
}

/** Does what needs a folder, which another process may remove at any moment while it is empty. */
async function inFolder(folder: string, root: string, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await makeFolder(folder, root);
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MAX_FOLDER_TRIES)
        throw error;
    }
}

/** Makes a folder of the store, and those around it that are absent. */
async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  const made: string[] = [];
  const top = resolve(first);
  for (let each = resolve(folder); each.length >= top.length; each = dirname(each)) made.push(each);
  const isRootNew = top.length <= resolve(root).length;
  await giveTo(isRootNew ? dirname(top) : root, made);
}

/**
 * Gives what root has made to the owner of a folder. A tester is root; the processes that share its store, and remove
 * files from it, need not be.
 */
async function giveTo(folder: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid === 0) return;
  for (const path of paths)
    await chown(path, uid, gid).catch((error: NodeJS.ErrnoException) => {
      // Such as on a file system of the network, to which root is nobody, or in a namespace that lacks the owner.
      if (error.code !== 'EPERM' && error.code !== 'EINVAL') throw error;
    });
}

/** Removes a folder and those around it, up to the first that has something in it. */
async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let empty = folder; dirname(empty) !== root; empty = dirname(empty))
    try {
      await rmdir(empty);
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        return;
      throw error;
    }
}

async function* filesBelow(folder: string): AsyncGenerator<string, void> {
  const entries = await opendir(folder).catch(unlessMissing);
  for await (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** Where a key's file is within the folder. */
function placeOf(key: string): string {
  if (!key.startsWith(UPLOADS)) return key;
  return key
    .split('/')
    .map((segment, at, { length }) => segment + (at > 0 && at < length - 1 ? FOLDER_MARK : ''))
    .join('/');
}

/** The key of a file, given its place; earlier versions marked no folders. */
function keyAt(place: string): string {
  if (!place.startsWith(UPLOADS)) return place;
  return place.replaceAll(`${FOLDER_MARK}/`, '/');
}

/** A rename is on the disk only when its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the files that have not grown since then. */
async function prepareIncoming(root: string, sinceMs: number): Promise<void> {
  const directory = join(root, INCOMING);
  await makeFolder(directory, root);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const grownMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (grownMs < sinceMs) await rm(path, { force: true });
  }
}

/** Every put makes a new file: the same inode of the same time is the same content. */
function versionOf({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, Math.round(mtimeMs * 1_000)].map((number) => number.toString(36)).join('-');
}

/** Reads a file through buffers that take turns, one chunk ahead. Every chunk but the last one is full. */
async function* readChunks(path: string, announced: Stats): AsyncGenerator<Buffer, void> {
  const file = await open(path, 'r');
  const lengthBytes = Math.max(1, Math.min(announced.size, SHARED_CHUNK_BYTES));
  const buffers = Array.from({ length: SHARED_CHUNKS }, () => Buffer.allocUnsafeSlow(lengthBytes));
  const fill = async (turn: number): Promise<Buffer> => {
    const buffer = buffers[turn % SHARED_CHUNKS] as Buffer;
    let filled = 0;
    while (filled < lengthBytes) {
      const { bytesRead } = await file
        .read(buffer, filled, lengthBytes - filled)
        .catch((error: unknown) => {
          throw asDiskFault(error);
        });
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  };
  const begin = (turn: number): Promise<Buffer> => {
    const filling = fill(turn);
    // It may fail while the reader is busy with the chunk before: the reader is told when it asks for this one.
    filling.catch(() => undefined);
    return filling;
  };
  let ahead: Promise<Buffer> | undefined;
  try {
    if (versionOf(await file.stat()) !== versionOf(announced))
      throw new Error(`${path} was replaced as it was opened`);
    ahead = begin(0);
    for (let turn = 1; ; turn++) {
      const chunk = await ahead;
      if (chunk.length === lengthBytes) ahead = begin(turn);
      if (chunk.length > 0) yield chunk;
      if (chunk.length < lengthBytes) return;
    }
  } finally {
    // If it fails, it fails again for the reader that asks for it.
    await ahead?.catch(() => undefined);
    await file.close();
  }
}
