import { AirlineError } from '../../../domain/errors.ts';
import {
  emailAddressOf,
  parseChanges,
  parseSourceControl,
  signerOf,
} from '../../../domain/packages/source-package.ts';

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
      files: [
        {
          name: 'hello_2.10-3.dsc',
          sizeBytes: 1200,
          md5: MD5,
          sha1: SHA1,
          sha256: SHA256,
          section: 'devel',
        },
      ],
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
    ['a byte order mark', `\uFEFF${CHANGES}`],
    ['a NUL', CHANGES.replace('A change', 'A\0change')],
    ['an escape character', CHANGES.replace('A change', '\u001b[31mA change')],
    ['a carriage return inside a line', CHANGES.replace('A change', 'A\rSource: evil')],
    ['an end of line that only some see', CHANGES.replace('A change', 'A\u2028Source: evil')],
    ['another that only some see', CHANGES.replace('A change', 'A\u0085Source: evil')],
    ['a line of blanks', CHANGES.replace('\n .\n', '\n  \n')],
    ['a field that starts twice, in other case', `${CHANGES}SOURCE: other\n`],
    ['a continuation of no field', ` x\n${CHANGES}`],
    ['a comment', `# x\n${CHANGES}`],
    ['a source of two lines', CHANGES.replace('Source: hello', 'Source: hello\n world')],
    ['an absolute name', CHANGES.replaceAll('hello_2.10-3.dsc', '/etc/passwd')],
    ['a name with a drive', CHANGES.replaceAll('hello_2.10-3.dsc', 'C:hello.dsc')],
    ['a name with a backslash', CHANGES.replaceAll('hello_2.10-3.dsc', 'a\\b.dsc')],
    ['a name that is an option', CHANGES.replaceAll('hello_2.10-3.dsc', '-rf')],
    ['a name with a wildcard', CHANGES.replaceAll('hello_2.10-3.dsc', 'a*.dsc')],
    ['a name of FTP commands', CHANGES.replaceAll('hello_2.10-3.dsc', 'a%0d%0aDELE.dsc')],
    ['a name in other letters', CHANGES.replaceAll('hello_2.10-3.dsc', 'hеllo_2.10-3.dsc')],
    ['a name that is too long', CHANGES.replaceAll('hello_2.10-3.dsc', `${'a'.repeat(252)}.dsc`)],
    [
      'two names that differ by case only',
      CHANGES.replaceAll(/^( .* )hello_2\.10-3\.dsc$/gm, '$1a.dsc\n$1A.dsc'),
    ],
    ['a negative size', CHANGES.replaceAll(' 1200 ', ' -1 ')],
    ['a size in other digits', CHANGES.replaceAll(' 1200 ', ' 0x10 ')],
    ['a size with zeros before it', CHANGES.replaceAll(' 1200 ', ' 001200 ')],
    ['a size beyond all numbers', CHANGES.replaceAll(' 1200 ', ` ${'9'.repeat(30)} `)],
    ['a checksum in capitals', CHANGES.replaceAll(SHA256, SHA256.toUpperCase())],
    ['a checksum that is short', CHANGES.replaceAll(SHA256, SHA256.slice(1))],
    ['a word too many', CHANGES.replaceAll('devel optional', 'devel optional more')],
    ['a word too few', CHANGES.replaceAll('devel optional', 'devel')],
    ['files on the first line', CHANGES.replace('Files:\n', `Files: ${MD5} 1 a b x.dsc\n`)],
    ['other files in another list', CHANGES.replace(`${SHA1} 1200 hello`, `${SHA1} 1200 other`)],
    [
      'thousands of files',
      CHANGES.replaceAll(/^( .* )hello_2\.10-3\.dsc$/gm, (_line, start: string) =>
        Array.from({ length: 2_000 }, (_, at) => `${start}f${at}.dsc`).join('\n'),
      ),
    ],
    ['text before its signature', `Source: evil\n${signed(CHANGES)}`],
    ['blanks before its signature', `\n${signed(CHANGES)}`],
    [
      'text in the header of its signature',
      signed(CHANGES).replace('Hash:', 'Source: evil\nHash:'),
    ],
    ['a header that is a blank', signed(CHANGES).replace('\n\n', '\n \n')],
    ['two signed messages', signed(CHANGES) + signed(CHANGES.replace('hello', 'evil'))],
    ['text between two signatures', signed(CHANGES) + signed('x').slice(signed('x').indexOf('x'))],
    ['text in its signature', signed(CHANGES).replace('\nabc\n', '\nabc\nSource : evil, (x)\n')],
    ['dashes in its message', signed(CHANGES.replace('Source', '-----\nSource'))],
    ['a signature without its message', signed(CHANGES).replace(/^-----BEGIN PGP SIGNED.*\n/, '')],
  ])('with %s is refused', (_, text) => {
    expect(() => parseChanges(text, 'x.changes')).toThrow(AirlineError);
    expect(() => parseChanges(text, 'x.changes')).toThrow(/^x\.changes: /);
  });
});

describe('a .dsc', () => {
  const DSC = `Format: 3.0 (quilt)
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

  test('gives its files', () => {
    expect(parseSourceControl(signed(DSC))).toMatchObject({
      isSigned: true,
      source: 'hello',
      version: '2.10-3',
      architectures: ['any'],
      files: [{ name: 'hello_2.10.orig.tar.gz', sizeBytes: 7, sha256: SHA256 }],
    });
  });

  test('may make as many packages as the largest sources of Debian, such as linux', () => {
    const line =
      ' modules deb kernel optional arch=alpha,amd64,arm64 profile=!stage1,!pkg.linux.quick\n';
    const text = `${DSC}Package-List:\n${line.repeat(3_000)}`;
    expect(parseSourceControl(text).binaries).toHaveLength(3_000);
  });

  test.each([
    ['lines in Package-List', `${DSC}Package-List:\n${' a\n'.repeat(300_000)}`],
    ['profiles', `${DSC}Package-List:\n a deb b c profile=${'+'.repeat(1_000_000)}\n`],
    [
      'architectures of a package',
      `${DSC}Package-List:\n a deb b c arch=${'a,'.repeat(500_000)}\n`,
    ],
    ['architectures', DSC.replace('Architecture: any', `Architecture:${' any'.repeat(200_000)}`)],
    ['names in Binary', DSC.replace('Binary: hello', `Binary: ${'a,'.repeat(500_000)}`)],
  ])(
    'with hundreds of thousands of %s is refused: it would take many times its size',
    (_, text) => {
      expect(() => parseSourceControl(text, 'x.dsc')).toThrow(
        new AirlineError(
          'malformed_control_file',
          'x.dsc: Architecture, and Package-List or Binary, have more than 30000 words',
        ),
      );
    },
  );
});

describe('a control file that is long and hostile', () => {
  const LENGTH = 1_000_000;
  const begin = '-----BEGIN PGP SIGNED MESSAGE-----\n';
  // A parser that goes back over what it has read would need hours for each.
  const inAMoment = (work: () => void) => {
    const startedAt = performance.now();
    work();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  };
  it.each([
    ['blanks', `Format: 1.8\nSource:${' '.repeat(LENGTH)}x`],
    ['blank lines', `Format: 1.8\n${'\n'.repeat(LENGTH)}x`],
    ['lines of blanks', `Format: 1.8\n${' \n'.repeat(LENGTH / 2)}x`],
    ['carriage returns', `Format: 1.8${'\r\n'.repeat(LENGTH / 2)}x`],
    ['colons', ':'.repeat(LENGTH)],
    ['a field without an end', 'x'.repeat(LENGTH)],
    ['beginnings of signatures', begin + '\n-----BEGIN PGP SIGNATURE-----'.repeat(LENGTH / 30)],
    ['hashes', begin + 'Hash: SHA512\n'.repeat(LENGTH / 13)],
    ['fields', Array.from({ length: LENGTH / 10 }, (_, at) => `F${at}: x\n`).join('')],
    ['files', `Format: 1.8\nFiles:\n${` ${MD5} 1 a b c\n`.repeat(LENGTH / 40)}`],
  ])('is refused in a moment: %s', (_what, text) => {
    inAMoment(() => expect(() => parseChanges(text)).toThrow(AirlineError));
  });

  it.each([
    ['headers of many colons', 'A: b: b: b: b: b: b\n'.repeat(30)],
    ['a header of colons without an end', 'A' + ': '.repeat(LENGTH / 2) + '\n'],
    ['headers', 'A: b\n'.repeat(LENGTH / 5)],
    ['base64', '\n' + `${'A'.repeat(64)}\n`.repeat(LENGTH / 65)],
  ])('names no signer by a signature of nothing but %s, in a moment', (_what, signature) => {
    const text = signed(CHANGES).replace('\nabc\n', signature);
    const changes = parseChanges(text);
    inAMoment(() => expect(signerOf(changes, text)).toBeUndefined());
  });

  it.each([
    ['at signs', `A <${'@'.repeat(LENGTH)}`],
    ['at signs and letters', `A <${'a@'.repeat(LENGTH / 2)}>`],
    ['beginnings of addresses', 'A ' + '<a@'.repeat(LENGTH / 3)],
    ['letters', `A <${'a'.repeat(LENGTH)}`],
    ['addresses', 'A ' + '<a@b> '.repeat(LENGTH / 6) + 'x'],
    ['blanks', `A <a@b>${' '.repeat(LENGTH)}x`],
  ])('names no address by nothing but %s, in a moment', (_what, person) => {
    inAMoment(() => expect(emailAddressOf(person)).toBeUndefined());
  });
});

it.each([
  ['A Developer <dev@example.org>', 'dev@example.org'],
  ['A Developer <dev@example.org> ', 'dev@example.org'],
  ['A <B> Developer <dev@example.org>', 'dev@example.org'],
  ['dev@example.org', undefined],
  ['A Developer <dev>', undefined],
  ['A Developer <dev@example.org> (away)', undefined],
])('the address of %j is %s', (person, address) => {
  expect(emailAddressOf(person)).toBe(address);
});

it.each([
  [254, true],
  [255, false],
  [450_000, false],
])("an address of %i characters in Changed-By is the signer's: %s", (length, isKept) => {
  const address = `${'"'.repeat(length - '@a'.length)}@a`;
  const signature = [
    'iHUEARYIAB0WIQRru978XAPAlvvMJVS1fQbVjvcDZQUCawLxRQAKCRC1fQbVjvcD',
    'ZTxKAP4j2cr9xDAn8KOXi49znzvf6W9Nvfb4xDoFIXWx0c16kgD/UIvEyJ8Kxi99',
    'pLubx66SQ20Bmp/qPQgQRUGPvmEDVgI=',
    '=6yr+',
  ].join('\n');
  const text = signed(CHANGES.replace('dev@example.org', address)).replace('abc', signature);
  expect(signerOf(parseChanges(text), text)).toEqual({
    key: '6BBBDEFC5C03C096FBCC2554B57D06D58EF70365',
    email: isKept ? address : null,
  });
});

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a control file that is changed at random', () => {
  const BLANKS = ['\n', '\r', '\r\n', '\n\n', ' ', '\t', '\0', '\u2028', '\uFFFD'];
  const PIECES = [
    ...BLANKS,
    ':',
    '-',
    '- ',
    '../',
    'Source: evil',
    'Files:',
    ` ${MD5} 1 devel optional evil.dsc`,
    '-----BEGIN PGP SIGNATURE-----',
    '-----END PGP SIGNATURE-----',
    '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n',
  ];
  const ROUNDS = 4_000;

  it.each([1, 2, 3])(
    'is refused, or gives nothing but what its signed part lists (seed %d)',
    (seed) => {
      const random = randomNumbers(seed);
      const below = (max: number) => Math.floor(random() * max);
      let taken = 0;
      for (let round = 0; round < ROUNDS; round++) {
        let text = signed(CHANGES);
        for (let changes = below(3); changes >= 0; changes--) {
          const at = below(text.length);
          const piece = PIECES[below(PIECES.length)] as string;
          const kind = below(3);
          if (kind === 0) text = text.slice(0, at) + piece + text.slice(at);
          else if (kind === 1) text = text.slice(0, at) + text.slice(at + below(30));
          else text = text.slice(0, at) + text.slice(below(text.length));
        }
        try {
          const { source, version, files } = parseChanges(text);
          taken += 1;
          expect(source).toMatch(/^[a-z0-9][a-z0-9+.-]+$/);
          expect(version).toMatch(/^[A-Za-z0-9:.+~-]+$/);
          expect(files).toHaveLength(new Set(files.map(({ name }) => name.toLowerCase())).size);
          for (const { name, sizeBytes, md5, sha1, sha256 } of files) {
            expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9.+~_-]*$/);
            expect(Number.isSafeInteger(sizeBytes)).toBe(true);
            expect(`${md5} ${sha1} ${sha256}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{40} [0-9a-f]{64}$/);
          }
          if (text.startsWith('-----BEGIN')) {
            const inside = text.slice(0, text.search(/^-----BEGIN PGP SIGNATURE/m));
            for (const { name } of files) expect(inside).toContain(` ${name}`);
            expect(text.trimEnd().endsWith('-----END PGP SIGNATURE-----')).toBe(true);
          }
        } catch (error) {
          if (!(error instanceof AirlineError)) throw error;
          expect(error.code).toBe('malformed_control_file');
        }
      }
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(ROUNDS);
    },
  );
});
