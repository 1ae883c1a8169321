import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createAptArchive } from '../../../../activities/testing/archive/apt-archive.ts';
import { ppaSource } from '../../../../activities/testing/machine/apt-sources.ts';
import { placeName } from '../../../../domain/testing/image.ts';
import { aptAccount } from '../../../../main/embedded/required-account.ts';
import { createUnprivileged } from '../../../../sandbox/unprivileged.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../../../support/signing-key.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const execute = promisify(execFile);
const user = aptAccount();
/** Others than root do all as themselves. */
const asRoot = user ? it : it.skip;
const PLACE = { distribution: 'debian', series: 'bookworm', architecture: 'amd64' };
const { signal } = new AbortController();
const directory = temporaryDirectory();
const suiteOf = (name: string) => join(directory, 'mirror/dists', name);
const suite = suiteOf('bookworm');
const pool = join(directory, 'mirror/pool');
const keyring = join(directory, 'key.asc');

let key: KeyOfGnupg;
beforeAll(async () => {
  key = await makeKeyOfGnupg();
  await writeFile(keyring, key.publicKey);
  await mkdir(pool, { recursive: true });
  await addHello('bookworm', '1:2-1', 'libc6');
  await sign();
});
afterAll(async () => {
  await key.remove();
  await rm(directory, { recursive: true });
});

const open = (suites = ['bookworm'], diskBytes = 0, instance = 'a tester') =>
  createAptArchive({
    instance,
    cacheDir: join(directory, ['cache', ...suites].join('-')),
    mirrorsOf: async ({ target }) => ({
      sources: [
        {
          name: '0.list',
          text: suites
            .map(
              (name) =>
                `deb [signed-by=${keyring}] file:${join(directory, 'mirror')} ${name} main\n`,
            )
            .join(''),
        },
        ...(target ? [{ name: 'target.sources', text: sourceOf(target) }] : []),
      ],
      options: [],
    }),
    targetRelease: async () => undefined,
    unprivileged: createUnprivileged(user),
    timeoutMs: 60_000,
    diskBytes,
  });

/** The apt source of a target, which the test has put beside the mirror. */
const sourceOf = (target: string) =>
  ppaSource({
    repository: `file:${join(directory, target)}`,
    series: 'bookworm',
    key: key.publicKey,
  });

/** Makes a suite of the mirror, which has hello alone. */
async function addHello(name: string, version: string, depends: string): Promise<void> {
  for (const folder of ['main/source', 'main/binary-amd64'])
    await mkdir(join(suiteOf(name), folder), { recursive: true });
  await addSource('hello', version, name);
  await writeFile(
    join(suiteOf(name), 'main/binary-amd64/Packages'),
    `Package: hello\nVersion: ${version}\nArchitecture: amd64\nDepends: ${depends}\n`,
  );
}

/** Adds a source package to the mirror; its files are one tarball, which holds nothing, and the `.dsc`. */
async function addSource(name: string, version: string, to = 'bookworm'): Promise<void> {
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
    join(suiteOf(to), 'main/source/Sources'),
    `Package: ${name}\nBinary: ${name}\nVersion: ${version}\nFormat: 3.0 (native)
Testsuite: autopkgtest\nDirectory: pool
Files:\n${list('md5')}Checksums-Sha256:\n${list('sha256')}\n`,
  );
}

/** Signs what a suite of the mirror, or in another folder, holds now. @param fields further ones of its Release */
async function sign(
  name = 'bookworm',
  fields: Record<string, string> = {},
  cwd = suiteOf(name),
): Promise<void> {
  await rm(join(cwd, 'InRelease'), { force: true });
  const options = Object.entries({ Codename: name, ...fields }).flatMap(([field, value]) => [
    '-o',
    `APT::FTPArchive::Release::${field}=${value}`,
  ]);
  const { stdout } = await execute('apt-ftparchive', [...options, 'release', '.'], { cwd });
  const release = join(directory, 'Release');
  await writeFile(release, stdout);
  await execute(
    'gpg',
    ['--batch', '--yes', '--clear-sign', '--output', join(cwd, 'InRelease'), release],
    { env: { ...process.env, GNUPGHOME: key.gnupgHome } },
  );
}

async function replaceIn(path: string, before: string, after: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replaceAll(before, after));
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

  it('leaves out what apt installs only on demand, as no image is made of it', async () => {
    await addHello('bookworm-backports', '1:3-1~bpo12+1', 'libnew');
    await sign('bookworm-backports', { NotAutomatic: 'yes', ButAutomaticUpgrades: 'yes' });
    const both = open(['bookworm', 'bookworm-backports']);
    const { releases, index } = await both.readIndex(PLACE, signal);
    expect(releases).toHaveLength(2);
    expect(index).toMatchObject({ sources: [{ name: 'hello', version: '1:2-1' }] });
    expect(index.dependents).toEqual({ libc6: [0] });
  });

  it('has what a target has, by the key in its source, and tells it from the mirror alone', async () => {
    const place = { ...PLACE, target: '~team/debian/landed' };
    const repository = join(directory, place.target);
    await cp(join(directory, 'mirror/dists/bookworm'), join(repository, 'dists/bookworm'), {
      recursive: true,
    });
    for (const path of ['source/Sources', 'binary-amd64/Packages'])
      await replaceIn(join(repository, 'dists/bookworm/main', path), '1:2-1', '1:4-1');
    await sign('bookworm', {}, join(repository, 'dists/bookworm'));
    const { releases, index } = await open().readIndex(place, signal);
    expect(releases).toHaveLength(2);
    expect(index.sources).toMatchObject([{ name: 'hello', version: '1:4-1' }]);
    const alone = await open().readIndex(PLACE, signal);
    expect(alone.releases).toHaveLength(1);
    expect(releases).toContain(alone.releases[0]);
    expect(alone.index.sources).toMatchObject([{ name: 'hello', version: '1:2-1' }]);
  });

  it('forgets the lists that nothing has asked for in a week', async () => {
    const roots = join(directory, 'cache-bookworm/apt');
    const gone = join(roots, placeName({ ...PLACE, target: '~team/debian/gone' }));
    await mkdir(gone, { recursive: true });
    await writeFile(join(gone, 'apt.conf'), '');
    await open().readIndex(PLACE, signal);
    expect(await readdir(roots)).toContain(basename(gone));
    const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
    await utimes(join(gone, 'apt.conf'), eightDaysAgo, eightDaysAgo);
    await open().readIndex(PLACE, signal);
    expect(await readdir(roots)).not.toContain(basename(gone));
    expect(await readdir(roots)).toContain(placeName(PLACE));
  });

  asRoot('has no file that its user could change, but the lists', async () => {
    await open().readIndex(PLACE, signal);
    const root = join(directory, 'cache-bookworm/apt', placeName(PLACE));
    const owners = async (...names: string[]) =>
      Promise.all(names.map(async (name) => (await stat(join(root, name))).uid));
    expect(await owners('.', 'apt.conf', 'sources.list.d', 'sources.list.d/0.list')).toEqual([
      0, 0, 0, 0,
    ]);
    expect(await owners('lists', 'cache')).toEqual([user?.uid, user?.uid]);
  });

  asRoot('gives nothing to its user by a link that stands in place of a folder', async () => {
    const { readIndex } = open();
    await readIndex(PLACE, signal);
    const lists = join(directory, 'cache-bookworm/apt', placeName(PLACE), 'lists');
    const victim = join(directory, 'victim');
    await mkdir(victim, { mode: 0o700 });
    await rm(join(lists, 'partial'), { recursive: true });
    await symlink(victim, join(lists, 'partial'));
    await expect(readIndex(PLACE, signal)).rejects.toThrow();
    const { uid, mode } = await stat(victim);
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o700 });
    await rm(lists, { recursive: true });
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
    expect(faults['gone']).toMatch(/Failed to fetch .*gone_1-1\.tar\.xz/);
  });

  it('blames no source where the mirror goes away while they are fetched', async () => {
    const wanted = Array.from({ length: 10 }, (_, at) => ({ source: `src${at}`, version: '1-1' }));
    for (const { source, version } of wanted) await addSource(source, version);
    await sign();
    await rm(join(pool, 'src3_1-1.tar.xz'));
    const mirror = join(directory, 'mirror');
    const away = join(directory, 'mirror-away');
    const taken: string[] = [];
    const fetch = () =>
      open().fetchSources(
        PLACE,
        wanted,
        async ({ source }) => {
          taken.push(source);
          if (source === 'src5') await rename(mirror, away);
        },
        signal,
      );
    try {
      await expect(fetch()).rejects.toThrow('apt-get update:');
    } finally {
      await rename(away, mirror);
    }
    expect(taken.at(-1)).toBe('src5');
  });

  it('blames no source for a disk that has no room for it', async () => {
    const fetching = open(['bookworm'], Number.MAX_SAFE_INTEGER).fetchSources(
      PLACE,
      [{ source: 'hello', version: '1:2-1' }],
      async () => undefined,
      signal,
    );
    await expect(fetching).rejects.toThrow(
      / has less than \d+ bytes left, or too few files for them\.$/,
    );
  });

  it('removes the sources that a process has left which died while it took them', async () => {
    const wanted = [{ source: 'hello', version: '1:2-1' }];
    await new Promise<void>((resolve) => {
      const take = () => {
        resolve();
        return new Promise<void>(() => undefined);
      };
      void open().fetchSources(PLACE, wanted, take, signal);
    });
    const cache = join(directory, 'cache-bookworm');
    expect(await readdir(cache)).toHaveLength(2);
    await open().readIndex(PLACE, signal);
    expect(await readdir(cache)).toEqual(['apt']);
  });

  it('leaves alone what another tester with the same cache has fetched', async () => {
    const wanted = [{ source: 'hello', version: '1:2-1' }];
    let tarball = '';
    const take = async (_: unknown, folder: string) => {
      const other = open(['bookworm'], 0, 'another tester');
      await other.fetchSources(PLACE, wanted, async () => undefined, signal);
      tarball = await readFile(join(folder, 'hello_2-1.tar.xz'), 'utf8');
    };
    await open().fetchSources(PLACE, wanted, take, signal);
    expect(tarball).toBe('the tarball of hello_2-1');
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
