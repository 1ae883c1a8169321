import { AirlineError } from '../../domain/errors.ts';
import { parseChanges, parseSourceControl } from '../../domain/source-package.ts';

const MD5 = 'a'.repeat(32);
const SHA1 = 'b'.repeat(40);
const SHA256 = 'c'.repeat(64);

const CHANGES = `Format: 1.8
Date: Sat, 21 Nov 2026 08:00:00 +0000
Source: hello
Architecture: source
Version: 1:2.10-3
Distribution: bookworm
Changed-By: A Developer <dev@example.org>
Description:
 hello - example package
Changes:
 hello (1:2.10-3) bookworm; urgency=medium
 .
   * A change.
Checksums-Sha1:
 ${SHA1} 1200 hello_2.10-3.dsc
Checksums-Sha256:
 ${SHA256} 1200 hello_2.10-3.dsc
Files:
 ${MD5} 1200 devel optional hello_2.10-3.dsc
`;

const signed = (text: string) =>
  `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${text.trimEnd()}\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n`;

describe('a .changes', () => {
  test('gives its source, version and files', () => {
    expect(parseChanges(CHANGES)).toEqual({
      isSigned: false,
      source: 'hello',
      version: '1:2.10-3',
      distribution: 'bookworm',
      architectures: ['source'],
      changedBy: 'A Developer <dev@example.org>',
      files: [{ name: 'hello_2.10-3.dsc', sizeBytes: 1200, md5: MD5, sha1: SHA1, sha256: SHA256 }],
    });
  });

  test('is read inside its signature, dash-escapes undone', () => {
    const text = signed(
      CHANGES.replace('   * A change.', '   * A change.').replace(
        'Source: hello',
        '- Source: hello',
      ),
    );
    expect(parseChanges(text)).toMatchObject({ isSigned: true, source: 'hello' });
  });

  test.each([
    ['a path in a file name', CHANGES.replaceAll('hello_2.10-3.dsc', '../../etc/passwd')],
    ['a hidden file name', CHANGES.replaceAll('hello_2.10-3.dsc', '.bashrc')],
    ['a checksum field less', CHANGES.replace(/Checksums-Sha256:\n.*\n/, '')],
    ['sizes that disagree', CHANGES.replace(`${SHA1} 1200`, `${SHA1} 1201`)],
    ['a file twice', CHANGES.replace(/Files:\n(.*\n)/, 'Files:\n$1$1')],
    ['a field twice', `${CHANGES}Source: other\n`],
    ['a second paragraph', `${CHANGES}\nSource: other\n`],
    ['no version', CHANGES.replace(/Version: .*\n/, '')],
    ['a version that is none', CHANGES.replace('1:2.10-3', '$(reboot)')],
    ['a signature that is cut', signed(CHANGES).slice(0, -40)],
    ['text after its signature', `${signed(CHANGES)}Source: evil\n`],
    ['nothing', ''],
  ])('with %s is refused', (_, text) => {
    expect(() => parseChanges(text, 'x.changes')).toThrow(AirlineError);
    expect(() => parseChanges(text, 'x.changes')).toThrow(/^x\.changes: /);
  });
});

describe('a .dsc', () => {
  test('gives its files', () => {
    const text = `Format: 3.0 (quilt)
Source: hello
Binary: hello
Architecture: any
Version: 2.10-3
Checksums-Sha1:
 ${SHA1} 7 hello_2.10.orig.tar.gz
Checksums-Sha256:
 ${SHA256} 7 hello_2.10.orig.tar.gz
Files:
 ${MD5} 7 hello_2.10.orig.tar.gz
`;
    expect(parseSourceControl(signed(text))).toMatchObject({
      isSigned: true,
      source: 'hello',
      version: '2.10-3',
      architectures: ['any'],
      files: [{ name: 'hello_2.10.orig.tar.gz', sizeBytes: 7, sha256: SHA256 }],
    });
  });
});
