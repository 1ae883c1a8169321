import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../main/demo/run-command.ts';
import type { SignedUpload } from '../main/demo/new-version.ts';
import type { SigningKey } from '../test/support/source-package.ts';

const VERSION = '1.0-1';
const MAINTAINER = 'Airline Bench <bench@airline.example>';
const BLOCK_BYTES = 8 * 2 ** 20;

type Listed = { name: string; sizeBytes: number; md5: string; sha1: string; sha256: string };

/**
 * Makes a signed source package with an upstream tarball of random bytes, which nothing can compress on its way. Its
 * control files are right in all that an upload is checked for; it is never unpacked, because a script builds it.
 */
export async function makeLargeSource(options: {
  directory: string;
  name: string;
  tarballBytes: number;
  series: string;
  key: SigningKey;
}): Promise<SignedUpload> {
  const { directory, name: source, tarballBytes, series, key } = options;
  await mkdir(directory, { recursive: true });
  const tarballs = [
    await writeRandom(directory, `${source}_1.0.orig.tar.gz`, tarballBytes),
    await writeRandom(directory, `${source}_${VERSION}.debian.tar.xz`, 4_096),
  ];
  const dsc = await writeText(
    directory,
    `${source}_${VERSION}.dsc`,
    `Format: 3.0 (quilt)
Source: ${source}
Binary: ${source}
Architecture: all
Version: ${VERSION}
Maintainer: ${MAINTAINER}
Standards-Version: 4.6.2
Package-List:
 ${source} deb misc optional arch=all
${checksums(tarballs)}Files:
${tarballs.map(({ md5, sizeBytes, name }) => ` ${md5} ${sizeBytes} ${name}\n`).join('')}`,
  );
  const files = [dsc, ...tarballs];
  const changes = `${source}_${VERSION}_source.changes`;
  await writeText(
    directory,
    changes,
    `Format: 1.8
Date: Thu, 01 Jan 2026 00:00:00 +0000
Source: ${source}
Architecture: source
Version: ${VERSION}
Distribution: ${series}
Urgency: medium
Maintainer: ${MAINTAINER}
Changed-By: ${MAINTAINER}
Changes:
 ${source} (${VERSION}) ${series}; urgency=medium
 .
   * Random bytes.
${checksums(files)}Files:
${files.map(({ md5, sizeBytes, name }) => ` ${md5} ${sizeBytes} misc optional ${name}\n`).join('')}`,
  );
  // debsign writes the signed .dsc's checksums into the .changes before it signs that.
  await runCommand('debsign', ['--no-conf', `-k${key.fingerprint}`, changes], {
    cwd: directory,
    environment: { GNUPGHOME: key.gnupgHome },
  });
  return {
    source,
    version: VERSION,
    directory,
    files: [...files.map(({ name }) => name), changes],
  };
}

/** The size of all files of an upload. */
export async function sizeOf({ directory, files }: SignedUpload): Promise<number> {
  const found = await Promise.all(files.map((name) => stat(join(directory, name))));
  return found.reduce((sum, { size }) => sum + size, 0);
}

function checksums(files: readonly Listed[]): string {
  return (['sha1', 'sha256'] as const)
    .map(
      (sum) =>
        `Checksums-${sum === 'sha1' ? 'Sha1' : 'Sha256'}:\n${files
          .map((file) => ` ${file[sum]} ${file.sizeBytes} ${file.name}\n`)
          .join('')}`,
    )
    .join('');
}

async function writeText(directory: string, name: string, text: string): Promise<Listed> {
  await writeFile(join(directory, name), text);
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, ...digests([bytes]) };
}

async function writeRandom(directory: string, name: string, sizeBytes: number): Promise<Listed> {
  const hashes = newHashes();
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, sizeBytes));
  const file = await open(join(directory, name), 'wx');
  try {
    for (let left = sizeBytes; left > 0; left -= block.length) {
      const part = block.subarray(0, left);
      randomFillSync(part);
      for (const hash of Object.values(hashes)) hash.update(part);
      await file.write(part);
    }
  } finally {
    await file.close();
  }
  return { name, sizeBytes, ...hex(hashes) };
}

function digests(parts: readonly Buffer[]) {
  const hashes = newHashes();
  for (const part of parts) for (const hash of Object.values(hashes)) hash.update(part);
  return hex(hashes);
}

function newHashes() {
  return { md5: createHash('md5'), sha1: createHash('sha1'), sha256: createHash('sha256') };
}

function hex({ md5, sha1, sha256 }: ReturnType<typeof newHashes>) {
  return { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha256: sha256.digest('hex') };
}
