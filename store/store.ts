import type { Readable } from 'node:stream';

/** The only folder that callers write in; Airline alone writes the rest. */
export const UPLOADS = 'uploads/';

/** Bytes of a file, by their places: those at `start`, at `end`, and between them. */
export type ByteRange = { start: number; end: number };

/** A file: how many bytes it has, their media type, when they were stored, and a name that changes with the content. */
export type FileFacts = { sizeBytes: number; contentType: string; storedAt: Date; version: string };

/** What a `get` gives: the file and its bytes, or those of a part of it. */
export type StoredFile = FileFacts & { stream: Readable; part?: ByteRange };

/** What a `read` gives; `version` as of a `get`. */
type StoredReading = {
  chunks: AsyncGenerator<Buffer, void>;
  sizeBytes: number;
  version: string;
};

/** The data store: files by key, reached by others under a URL. Keys are paths such as `builds/7/hello.log`. */
export type DataStore = {
  /**
   * Stores a stream under a key. The key shows the file only when all of it is stored; an earlier file under the
   * same key is replaced at that moment. Where it throws, the stream is destroyed.
   *
   * @param options.keepsFirst an earlier file stays, whichever process has stored it
   * @returns what the stream held, and whether the key has it now: not where an earlier file stays
   * @throws StoreKeyError where the key is not a plain relative path; StoreUnavailableError; whatever the stream throws
   */
  put(
    key: string,
    stream: Readable,
    options?: { keepsFirst?: boolean },
  ): Promise<{ sizeBytes: number; sha256: string; isKept: boolean }>;
  /**
   * Opens the file of a key, or gives undefined if there is none. The caller reads or destroys the stream.
   *
   * @param options.choosePart which of its bytes the stream has; undefined: all of them
   */
  get(
    key: string,
    options?: { choosePart?: (file: FileFacts) => ByteRange | undefined },
  ): Promise<StoredFile | undefined>;
  /**
   * As `get`, but the chunks may share memory, so that a large file leaves no garbage: a reader must be done with a
   * chunk when it asks for the next but one. The file is open from the first chunk asked for to the last.
   */
  read(key: string): Promise<StoredReading | undefined>;
  /**
   * The files whose keys begin with a folder's path, in no order, and when each was stored.
   *
   * @param folder ends with a slash
   */
  list(folder: string): AsyncGenerator<{ key: string; storedAt: Date }, void>;
  /** Removes the file of a key, if there is one. Who reads it already reads on from a folder, not from a bucket. */
  remove(key: string): Promise<void>;
  /** The URL under which others fetch the key. */
  urlOf(key: string): string;
  /** The key whose URL this is, in any way of writing it; undefined where it is not a URL of this store. */
  keyOf(url: string): string | undefined;
};

/** Where a store's files are served; `formerUrls`: where they were before. A trailing slash is optional. */
export type StoreAddresses = { baseUrl: string; formerUrls?: readonly string[] };

/** The key is not a plain relative path. */
export class StoreKeyError extends Error {
  override readonly name = 'StoreKeyError';
}

/** The server of the data store does not answer, or with an error; or its disk takes nothing. Another try may help. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** File systems take names of 255 characters. */
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._~+:-]{1,255}$/;
/** A folder may have a mark behind its name. */
const MAX_FOLDER_CHARACTERS = 254;

/**
 * Checks that a key is made of plain segments: nothing that a file system, a URL or an object store reads in another
 * way.
 *
 * @throws StoreKeyError
 */
export function assertKey(key: string): void {
  const segments = key.split('/');
  const isPlain =
    segments.every((segment) => SEGMENT.test(segment)) &&
    segments.slice(0, -1).every((folder) => folder.length <= MAX_FOLDER_CHARACTERS);
  if (key.length > 1_024 || !isPlain)
    throw new StoreKeyError(
      `${JSON.stringify(key.slice(0, 200))} is not a key: a key is segments of letters, digits and ._~+:- joined by /`,
    );
}

/**
 * Does what takes a stream over.
 *
 * @throws what the work throws; the stream is destroyed then, so that nothing of it stays open
 */
export async function takingOver<T>(stream: Readable, work: () => Promise<T>): Promise<T> {
  // It may fail before it is read; whoever reads it then is told.
  stream.on('error', () => {});
  try {
    return await work();
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

const TEXT = /\.(?:log|txt|dsc|changes|buildinfo|asc|json)$/;

/** The media type of a key's file. Never one that a browser runs: the files come from strangers. */
export function contentTypeOf(key: string): string {
  return TEXT.test(key) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/**
 * The URLs of keys below one address, with each segment of a key escaped.
 *
 * @param check throws StoreKeyError for what is no key of the store
 */
export function storeAddresses(
  { baseUrl, formerUrls = [] }: StoreAddresses,
  check: (key: string) => void,
): Pick<DataStore, 'urlOf' | 'keyOf'> {
  const [root = '', ...others] = [baseUrl, ...formerUrls].map((url) => url.replace(/\/$/, ''));
  const roots = [root, ...others];
  return {
    urlOf(key) {
      assertKey(key);
      return `${root}/${key.split('/').map(encodeURIComponent).join('/')}`;
    },
    keyOf(url) {
      const href = URL.canParse(url) ? new URL(url).href : '';
      const own = roots.find((one) => href.startsWith(`${one}/`));
      if (own === undefined) return undefined;
      try {
        const segments = href
          .slice(own.length + 1)
          .split('/')
          .map(decodeURIComponent);
        if (segments.some((segment) => segment.includes('/'))) return undefined;
        const key = segments.join('/');
        check(key);
        return key;
      } catch (error) {
        if (error instanceof StoreKeyError || error instanceof URIError) return undefined;
        throw error;
      }
    },
  };
}
