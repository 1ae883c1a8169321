import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAptArchive } from '../../../../activities/testing/archive/apt-archive.ts';
import { createUnprivileged } from '../../../../sandbox/unprivileged.ts';
import { makeSigningKey, type SigningKey } from '../../../support/source-package.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const execute = promisify(execFile);
const PLACE = { distribution: 'debian', series: 'bookworm', architecture: 'amd64' };
const { signal } = new AbortController();
const directory = temporaryDirectory();
const suite = join(directory, 'mirror/dists/bookworm');
const pool = join(directory, 'mirror/pool');
const keyring = join(directory, 'key.asc');

let key: SigningKey;
beforeAll(async () => {
  key = await makeSigningKey();
  await writeFile(keyring, key.publicKey);
  for (const folder of ['main/source', 'main/binary-amd64'])
    await mkdir(join(suite, folder), { recursive: true });
  await mkdir(pool);
  await addSource('hello', '1:2-1');
  await writeFile(
    join(suite, 'main/binary-amd64/Packages'),
    'Package: hello\nVersion: 1:2-1\nArchitecture: amd64\nDepends: libc6\n',
  );
  await sign();
});
afterAll(async () => {
  await key.remove();
  await rm(directory, { recursive: true });
});

const open = () =>
  createAptArchive({
    cacheDir: join(directory, 'cache'),
    mirrorsOf: async () => ({
      sources: [
        {
          name: '0.list',
          text: `deb [signed-by=${keyring}] file:${join(directory, 'mirror')} bookworm main\n`,
        },
      ],
      options: [],
    }),
    unprivileged: createUnprivileged(undefined),
    timeoutMs: 60_000,
  });

/** Adds a source package to the mirror; its files are one tarball, which holds nothing, and the `.dsc`. */
async function addSource(name: string, version: string): Promise<void> {
  const stem = `${name}_${version.replace(/^\d+:/, '')}`;
  const sum = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');
  const line = (algorithm: string, file: string, text: string) =>
    ` ${sum(algorithm, text)} ${text.length} ${file}\n`;
  const tar = `the tarball of ${stem}`;
  const dsc = `Format: 3.0 (native)\nSource: ${name}\nVersion: ${version}\n`;
  await writeFile(join(pool, `${stem}.tar.xz`), tar);
  await writeFile(join(pool, `${stem}.dsc`), dsc);
  const list = (algorithm: string) =>
    line(algorithm, `${stem}.dsc`, dsc) + line(algorithm, `${stem}.tar.xz`, tar);
  await appendFile(
    join(suite, 'main/source/Sources'),
    `Package: ${name}\nBinary: ${name}\nVersion: ${version}\nFormat: 3.0 (native)
Testsuite: autopkgtest\nDirectory: pool
Files:\n${list('md5')}Checksums-Sha256:\n${list('sha256')}\n`,
  );
}

/** Signs what the mirror holds now. */
async function sign(): Promise<void> {
  await rm(join(suite, 'InRelease'), { force: true });
  const options = ['-o', 'APT::FTPArchive::Release::Codename=bookworm'];
  const { stdout } = await execute('apt-ftparchive', [...options, 'release', '.'], { cwd: suite });
  const release = join(directory, 'Release');
  await writeFile(release, stdout);
  await execute(
    'gpg',
    ['--batch', '--yes', '--clear-sign', '--output', join(suite, 'InRelease'), release],
    { env: { ...process.env, GNUPGHOME: key.gnupgHome } },
  );
}

/** Fetches, and gives the tarballs by the sources that could be had, and why others could not. */
async function fetchSources(packages: { source: string; version: string }[]) {
  const taken: Record<string, string> = {};
  const faults = await open().fetchSources(
    PLACE,
    packages,
    async ({ source, version }, folder) => {
      const stem = `${source}_${version.replace(/^\d+:/, '')}`;
      await readFile(join(folder, `${stem}.dsc`));
      taken[source] = await readFile(join(folder, `${stem}.tar.xz`), 'utf8');
    },
    signal,
  );
  return { taken, faults: Object.fromEntries(faults) };
}

describe('the archive of apt', () => {
  it('gives its index, with the checksum of what it is of', async () => {
    const inRelease = await readFile(join(suite, 'InRelease'));
    expect(await open().readIndex(PLACE, signal)).toEqual({
      releases: [createHash('sha256').update(inRelease).digest('hex')],
      index: {
        sources: [{ name: 'hello', version: '1:2-1', bytes: expect.any(Number) }],
        dependents: { libc6: [0] },
        triggered: {},
        provides: {},
      },
    });
  });

  it('fetches sources, also those that came since it was asked last', async () => {
    await addSource('ed', '1.20-1');
    await sign();
    const all = [
      { source: 'hello', version: '1:2-1' },
      { source: 'ed', version: '1.20-1' },
    ];
    expect(await fetchSources(all)).toEqual({
      taken: { hello: 'the tarball of hello_2-1', ed: 'the tarball of ed_1.20-1' },
      faults: {},
    });
  });

  it('says why one cannot be had, and fetches the others', async () => {
    await addSource('broken', '1-1');
    await addSource('gone', '1-1');
    await sign();
    await writeFile(join(pool, 'broken_1-1.tar.xz'), 'the tarball of bro000_1-1');
    await rm(join(pool, 'gone_1-1.tar.xz'));
    const wanted = ['broken', 'gone', 'unknown'].map((source) => ({ source, version: '1-1' }));
    const { taken, faults } = await fetchSources([
      ...wanted,
      { source: 'hello', version: '1:2-1' },
    ]);
    expect(taken).toEqual({ hello: 'the tarball of hello_2-1' });
    expect(Object.keys(faults)).toEqual(['broken', 'gone', 'unknown']);
    expect(faults['unknown']).toMatch(/unknown/);
  });

  it('is not trusted where its signature is wrong', async () => {
    const path = join(suite, 'InRelease');
    const signed = await readFile(path, 'utf8');
    await writeFile(
      path,
      signed.replace('Codename: bookworm', 'Suite: stable\nCodename: bookworm'),
    );
    await expect(open().readIndex(PLACE, signal)).rejects.toThrow('apt-get update:');
  });
});
