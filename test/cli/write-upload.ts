import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileStem } from '../../domain/packages/source-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SIGNED_BEGIN = '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n';
const SIGNED_END = '\n-----BEGIN PGP SIGNATURE-----\n\niQIz\n-----END PGP SIGNATURE-----\n';

/** Writes a source package upload with a signature that only looks like one. @returns the path of its .changes */
export function writeUpload({
  name = 'hello',
  version = '2.10-3',
  architecture = 'source',
  isSigned = true,
  format = '3.0 (native)',
  /** More fields of the `.dsc`. */
  control = '',
  section = 'misc',
  /** Name of a `.buildinfo` in the upload; it has none where it is empty. */
  buildinfo = '',
  /** Whether the `.dsc` is in Latin-1. */
  isLatin1 = false,
  directory = temporaryDirectory(),
} = {}): { changes: string; directory: string } {
  const sign = (text: string) => (isSigned ? SIGNED_BEGIN + text + SIGNED_END : text);
  const stem = fileStem({ source: name, version });
  const dsc = sign(`Format: ${format}\nSource: ${name}\nVersion: ${version}\n${control}`);
  const files: Record<string, string | Buffer> = {
    [`${stem}.dsc`]: Buffer.from(dsc, isLatin1 ? 'latin1' : 'utf8'),
    [`${stem}.tar.xz`]: 'not really\n',
    ...(buildinfo ? { [buildinfo]: 'not really\n' } : {}),
  };
  for (const [file, content] of Object.entries(files))
    writeFileSync(join(directory, file), content);
  const sums = (digest: string, more = '') =>
    Object.entries(files).map(
      ([file, content]) =>
        ` ${createHash(digest).update(content).digest('hex')} ${content.length} ${more}${file}`,
    );
  const changes = join(directory, `${stem}_source.changes`);
  const fields = [
    'Format: 1.8',
    `Source: ${name}`,
    `Version: ${version}`,
    'Distribution: bookworm',
    `Architecture: ${architecture}`,
    'Changed-By: Ann Doe <ann@example.com>',
    'Checksums-Sha256:',
    ...sums('sha256'),
    'Checksums-Sha1:',
    ...sums('sha1'),
    'Files:',
    ...sums('md5', `${section} optional `),
  ];
  writeFileSync(changes, sign(`${fields.join('\n')}\n`));
  return { changes, directory };
}
