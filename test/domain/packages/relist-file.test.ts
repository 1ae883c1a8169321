import { AirlineError } from '../../../domain/errors.ts';
import { relistFile } from '../../../domain/packages/relist-file.ts';
import { parseChanges } from '../../../domain/packages/source-package.ts';

const OLD = { md5: 'a'.repeat(32), sha1: 'b'.repeat(40), sha256: 'c'.repeat(64) };
const NOW = {
  name: 'hello_1.dsc',
  sizeBytes: 2_000,
  md5: '1'.repeat(32),
  sha1: '2'.repeat(40),
  sha256: '3'.repeat(64),
};

const CHANGES = `Format: 1.8
Source: hello
Architecture: source
Version: 1
Distribution: bookworm
Changed-By: Zoë <zoe@example.org>
Changes:
 hello (1) bookworm; urgency=medium
 .
   * Say what is in hello_1.dsc
Checksums-Sha1:
 ${OLD.sha1} 1200 hello_1.dsc
 ${OLD.sha1} 30 hello_1.tar.xz
Checksums-Sha256:
 ${OLD.sha256} 1200 hello_1.dsc
 ${OLD.sha256} 30 hello_1.tar.xz
Files:
 ${OLD.md5} 1200 devel optional hello_1.dsc
 ${OLD.md5} 30 devel optional hello_1.tar.xz
`;

describe('a file that is listed anew', () => {
  it('has its size and sums in each list, and all else stays', () => {
    const text = relistFile(CHANGES, NOW, 'x.changes');
    expect(parseChanges(text).files).toEqual([
      { ...NOW, section: 'devel' },
      { name: 'hello_1.tar.xz', sizeBytes: 30, section: 'devel', ...OLD },
    ]);
    const others = (all: string) => all.split('\n').filter((line) => !line.endsWith('_1.dsc'));
    expect(others(text)).toEqual(others(CHANGES));
    expect(text).toContain('\n   * Say what is in hello_1.dsc\n');
  });

  it('is so in the list of a .buildinfo that a .changes does not have', () => {
    const buildinfo = `Format: 1.0\nChecksums-Md5:\n ${OLD.md5} 1200 hello_1.dsc\n`;
    expect(relistFile(buildinfo, NOW, 'x.buildinfo')).toBe(
      `Format: 1.0\nChecksums-Md5:\n ${NOW.md5} 2000 hello_1.dsc\n`,
    );
  });

  it.each([
    ['a sum of another kind', `${CHANGES}Checksums-Sha512:\n ${'d'.repeat(128)} 1 hello_1.dsc\n`],
    ['a field twice', `${CHANGES}Source: hello\n`],
    ['no fields', 'Whatever this is\n'],
  ])('is refused where there is %s', (_, text) => {
    const relist = () => relistFile(text, NOW, 'x.changes');
    expect(relist).toThrow(AirlineError);
    expect(relist).toThrow(/^x\.changes: /);
  });

  it.each(['Constructor', '__proto__'])('leaves a field %s as it is', (title) => {
    const text = `${title}:\n a 1 hello_1.dsc\n`;
    expect(relistFile(text, NOW, 'x.changes')).toBe(text);
  });
});
