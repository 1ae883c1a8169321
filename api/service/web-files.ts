import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Content } from '../http/answer-content.ts';
import { contentEtag } from '../http/content-etag.ts';

/** What a compressed file has after its name, by how it is compressed; the smaller first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
export const WEB_ENCODINGS = Object.keys(SUFFIXES) as readonly WebEncoding[];
export type WebEncoding = keyof typeof SUFFIXES;

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
): Promise<Content | undefined> {
  const mediaType = MEDIA_TYPES[extname(name)];
  if (mediaType === undefined || !NAME.test(name)) return undefined;
  const path = join(directory, name);
  for (const encoding of [...accepted, undefined]) {
    const read = await readOnce(encoding ? path + SUFFIXES[encoding] : path);
    if (read) return { mediaType, bytes: read.bytes, encoding, etag: read.etag };
  }
  return undefined;
}

/** By path: what was read, and of which version of the file. */
const known = new Map<string, { version: string; bytes: Buffer; etag: string }>();

/** Reads a file, unless that has been done and it has not changed since; undefined: there is none. */
async function readOnce(path: string) {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    const version = `${ino} ${mtimeMs} ${size}`;
    const already = known.get(path);
    if (already?.version === version) return already;
    // Not asynchronously: as many as ask meanwhile would each read it.
    const bytes = readFileSync(path);
    const read = { version, bytes, etag: contentEtag(bytes) };
    known.set(path, read);
    return read;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
