import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { contentEtag } from '../http/content-etag.ts';

/** What a compressed file has after its name, by how it is compressed; the smaller first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
export const WEB_ENCODINGS = Object.keys(SUFFIXES) as readonly WebEncoding[];
export type WebEncoding = keyof typeof SUFFIXES;

/** A file of the web UI as it is sent. */
export type WebFile = {
  readonly mediaType: string;
  readonly content: Buffer;
  /** Set where the content is compressed. */
  readonly encoding: WebEncoding | undefined;
  readonly etag: string;
};

/** A plain file name: no part of a path, nothing hidden. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/plain; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * Reads a file of the web UI. Beside each there may be compressed ones, with `.br` or `.gz` after its name.
 *
 * @param directory where the file is; nothing outside it is ever read
 * @param accepted how it may be compressed, the best first
 * @returns undefined if there is no such file, or if it is not of a kind that a page uses
 */
export async function readWebFile(
  directory: string,
  name: string,
  accepted: readonly WebEncoding[],
): Promise<WebFile | undefined> {
  const mediaType = MEDIA_TYPES[extname(name)];
  if (mediaType === undefined || !NAME.test(name)) return undefined;
  const path = join(directory, name);
  for (const encoding of [...accepted, undefined]) {
    const content = await read(encoding ? path + SUFFIXES[encoding] : path);
    if (content) return { mediaType, content, encoding, etag: contentEtag(content) };
  }
  return undefined;
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
