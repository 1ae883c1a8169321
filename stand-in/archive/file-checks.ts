import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ListedFile } from '../../domain/packages/source-package.ts';
import { syncDirectory } from './journal.ts';

export type Digests = { sizeBytes: number; md5: string; sha1: string; sha256: string };

/** Size and checksums of a file, in one pass. */
export async function digestFile(path: string): Promise<Digests> {
  const hashes = { md5: createHash('md5'), sha1: createHash('sha1'), sha256: createHash('sha256') };
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    sizeBytes += (chunk as Buffer).length;
    for (const hash of Object.values(hashes)) hash.update(chunk as Buffer);
  }
  return {
    sizeBytes,
    md5: hashes.md5.digest('hex'),
    sha1: hashes.sha1.digest('hex'),
    sha256: hashes.sha256.digest('hex'),
  };
}

/** How a file differs from what a control file says about it; undefined if it does not. */
export function difference(file: Digests, listed: ListedFile): string | undefined {
  if (file.sizeBytes !== listed.sizeBytes)
    return `File ${listed.name} mentioned in the changes has a size mismatch. ${file.sizeBytes} != ${listed.sizeBytes}`;
  for (const kind of ['md5', 'sha1', 'sha256'] as const)
    if (file[kind] !== listed[kind])
      return `File ${listed.name} mentioned in the changes has a checksum mismatch. ${kind}: ${file[kind]} != ${listed[kind]}`;
  return undefined;
}

/**
 * Puts a file under another name on the same file system, durably and without copying it. A file that has the name
 * already is replaced: nothing refers to it, else the caller would not have come here.
 */
export async function keepFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await unlink(to);
    await link(from, to);
  }
  await syncFile(to);
  syncDirectory(dirname(to));
}

/** Puts a file's content on the disk: a power cut leaves it whole. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
