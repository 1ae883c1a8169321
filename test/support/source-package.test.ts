import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeKeyOfGnupg } from './signing-key.ts';
import { makeSource, type SourceOptions } from './source-package.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const execute = promisify(execFile);
jest.setTimeout(600_000);

/** A file of fields without what depends on the content of the others. */
const fieldsOf = (path: string) =>
  readFileSync(path, 'utf8').replaceAll(/^ [0-9a-f]{32,64} \d+ /gm, ' SUM SIZE ');

const SOURCES: Record<string, Partial<SourceOptions>> = {
  'a native one': { architecture: 'any', buildDepends: ['one (>= 1)', 'two'] },
  'one with a revision and an epoch': { format: 'quilt', version: '2:1.2~rc1-3' },
};

describe('a source package of the tests', () => {
  it.each(Object.entries(SOURCES))('%s is as Debian makes it', async (_, options) => {
    const directory = temporaryDirectory();
    const ours = await makeSource({ directory: join(directory, 'ours'), ...options });
    const work = join(directory, 'theirs');
    await execute('dpkg-source', ['-x', '--require-strong-checksums', ours.dsc, work]);
    for (const file of ours.files.filter((path) => path.includes('.orig.')))
      await execute('cp', [file, directory]);
    await execute('dpkg-buildpackage', ['-S', '-d', '-us', '-uc', '-nc', '-sa'], { cwd: work });

    const names = ours.files.map((path) => path.slice(ours.directory.length + 1));
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(names));
    for (const path of [ours.dsc, ours.changes])
      expect(fieldsOf(path)).toBe(fieldsOf(path.replace(ours.directory, directory)));
  });

  it('is signed with its key', async () => {
    const key = await makeKeyOfGnupg();
    const { dsc, changes } = await makeSource({ directory: temporaryDirectory(), key });
    const env = { ...process.env, GNUPGHOME: key.gnupgHome };
    for (const path of [dsc, changes]) {
      const { stdout } = await execute('gpg', ['--status-fd', '1', '--verify', path], { env });
      expect(stdout).toContain(`VALIDSIG ${key.fingerprint}`);
    }
    await key.remove();
  });
});
