import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const execute = promisify(execFile);
const SCRIPT = fileURLToPath(
  new URL('../../../activities/testing/machine/derive-image.sh', import.meta.url),
);
/** What the base image has installed. */
const INSTALLED = { name: 'moods', version: '0.9' };
/** What the PPA has besides, and few landings have. */
const OTHER = { name: 'tides', version: '1.0' };
/** No base image has it. */
const NEW = 'stars';
/** Long before what the PPA publishes while an image is made. */
const PUBLISHED_AT = new Date('2020-01-01T00:00:00Z');
const UNINSTALLABLE = 10;
/** How long the index of the PPA is waited for. */
const PATIENCE_S = 300;

/** The package of a landing, and what the PPA's index has of it; undefined where the PPA has no index. */
type Landed = {
  name?: string;
  version: string;
  published: string | undefined;
  depends?: string;
  /** Another package of the landing. */
  other?: typeof OTHER;
  /** What the index has of it after as many waits. */
  later?: { published: string; waits: number };
  /** In place of the `tar` that packs the image. */
  packs?: string;
};

/**
 * Derives an image of a base image that is little more than apt's and dpkg's own files: this machine's programs work on
 * these in place of the image's own. Its waits take no time.
 *
 * @param others `alone` where nothing else of the PPA is taken
 * @returns `waited`: seconds
 */
async function derive(landed: Landed, others: string[] = []) {
  const folder = temporaryDirectory();
  const root = join(folder, 'root');
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), mode);
  };
  const { name = INSTALLED.name, version, published, depends, other, later, packs } = landed;
  if (published !== undefined)
    await makeRepository(write, folder, 'ppa', { name, version: published, depends });
  if (later) await makeRepository(write, folder, 'next', { name, version: later.published });
  write(
    'given/names',
    [{ name, version }, ...(other ? [other] : [])]
      .map((each) => `${each.name}=${each.version}\n`)
      .join(''),
  );
  write(
    'given/overlay/etc/apt/sources.list.d/airline-ppa.list',
    `deb [trusted=yes] file:${join(folder, 'ppa')} ./\n`,
  );
  write('given/overlay/etc/apt/apt.conf.d/zz-airline-proxy', '');
  write('apt.conf', `Dir "${root}";\nDpkg::Options { "--root=${root}"; };\n`);
  // In place of the namespace: the folder, the helper and the root come before the command.
  write(
    'tools/unshare',
    `#!/bin/sh\nshift 5\n[ "$1" != dpkg-query ] || set -- "$@" "--admindir=${root}/var/lib/dpkg"\nexec "$@"\n`,
    0o755,
  );
  if (packs !== undefined)
    write(
      'tools/tar',
      `#!/bin/sh\n[ "$1" != --create ] || { ${packs}; }\nexec /bin/tar "$@"\n`,
      0o755,
    );
  write('waits', '');
  write(
    'tools/sleep',
    [
      '#!/bin/sh',
      `cd ${folder}`,
      'echo "$1" >>waits',
      `[ "$(wc -l <waits)" -ne ${later?.waits ?? 0} ] || { rm -rf ppa && mv next ppa; }\n`,
    ].join('\n'),
    0o755,
  );
  const base = await makeBase(write, folder);
  const env = {
    ...process.env,
    PATH: `${join(folder, 'tools')}:/usr/sbin:/usr/bin:/sbin:/bin`,
    APT_CONFIG: join(folder, 'apt.conf'),
    LC_ALL: 'C',
  };
  const image = join(folder, 'image.tar.zst');
  const args = [SCRIPT, join(folder, 'given'), folder, base, image, ...others];
  const end = await execute('bash', args, { env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      said: stdout + stderr,
    }),
  );
  const packages = join(folder, 'packages');
  const waits = readFileSync(join(folder, 'waits'), 'utf8').split('\n');
  return {
    ...end,
    packages: existsSync(packages) ? readFileSync(packages, 'utf8') : undefined,
    waited: waits.reduce((sum, seconds) => sum + Number(seconds), 0),
    isMade: existsSync(image),
  };
}

type Write = (path: string, text: string, mode?: number) => void;

/** Makes a repository with a package and the other one. */
async function makeRepository(
  write: Write,
  folder: string,
  repository: string,
  published: { name: string; version: string; depends?: string | undefined },
): Promise<void> {
  const path = join(folder, repository);
  mkdirSync(path);
  for (const { name, version, depends } of [published, { ...OTHER, depends: undefined }]) {
    write(
      `tree-${repository}-${name}/DEBIAN/control`,
      [
        `Package: ${name}`,
        `Version: ${version}`,
        'Architecture: all',
        'Maintainer: Test <test@airline.example>',
        ...(depends === undefined ? [] : [`Depends: ${depends}`]),
        `Description: ${name}\n`,
      ].join('\n'),
    );
    const tree = join(folder, `tree-${repository}-${name}`);
    await execute('dpkg-deb', ['--build', '--root-owner-group', tree, path]);
  }
  const list = async (...what: string[]) =>
    (await execute('apt-ftparchive', [...what, '.'], { cwd: path })).stdout;
  writeFileSync(join(path, 'Packages'), await list('packages'));
  const origin = 'APT::FTPArchive::Release::Origin=LP-PPA-me-test';
  // Unsigned as it is, apt reads no InRelease.
  const release = join(path, 'Release');
  writeFileSync(release, await list('-o', origin, 'release'));
  // By its time apt tells whether it is another one.
  if (repository === 'ppa') utimesSync(release, PUBLISHED_AT, PUBLISHED_AT);
}

async function makeBase(write: Write, folder: string): Promise<string> {
  const { name, version } = INSTALLED;
  write(
    'base/var/lib/dpkg/status',
    `Package: ${name}\nStatus: install ok installed\nVersion: ${version}\nArchitecture: all\nMaintainer: x\nDescription: x\n`,
  );
  write(`base/var/lib/dpkg/info/${name}.list`, '');
  write('base/var/lib/dpkg/info/format', '1\n');
  write('base/var/lib/dpkg/available', '');
  write('base/var/lib/apt/lists/archive_InRelease', 'Suite: test\n');
  for (const path of [
    'etc/apt/preferences.d/x',
    'var/lib/dpkg/updates/x',
    'var/lib/apt/lists/partial/x',
    'var/cache/apt/archives/partial/x',
    'var/log/apt/x',
    'usr/sbin/x',
    'usr/bin/x',
    'tmp/x',
  ])
    mkdirSync(dirname(join(folder, 'base', path)), { recursive: true });
  const base = join(folder, 'base.tar.zst');
  await execute('tar', [
    '--create',
    '--zstd',
    `--directory=${join(folder, 'base')}`,
    '--file',
    base,
    '.',
  ]);
  return base;
}

describe("the image of a landing whose package is among its base's", () => {
  it('has the version of the landing', async () => {
    const { code, said, packages } = await derive({ version: '1.0', published: '1.0' });
    expect({ code, said, packages }).toMatchObject({ code: 0, packages: 'moods\t1.0\n' });
  });

  it('cannot be made where nothing satisfies its dependencies: no later try can do it', async () => {
    const { code, said } = await derive({ version: '1.0', published: '1.0', depends: 'gone' });
    expect(said).toContain('moods : Depends: gone but it is not installable');
    expect(code).toBe(UNINSTALLABLE);
  });

  it('cannot be made where it needs what the PPA has, and the landing has not', async () => {
    const landed = { version: '1.0', published: '1.0', depends: OTHER.name };
    const { code, said } = await derive(landed, ['alone']);
    expect(said).toContain('moods : Depends: tides');
    expect(code).toBe(UNINSTALLABLE);
  });

  it('has what it needs of the PPA where that is not held apart', async () => {
    const landed = { version: '1.0', published: '1.0', depends: OTHER.name };
    const { code, packages } = await derive(landed);
    expect({ code, packages }).toEqual({ code: 0, packages: 'moods\t1.0\ntides\t1.0\n' });
  });
});

describe('the image of a landing whose package is not in its base', () => {
  it('is its base where the PPA shows all packages, and has none of them', async () => {
    const landed = { name: NEW, version: '1.0', published: '1.0', other: OTHER };
    const { code, said, packages, waited } = await derive(landed);
    expect({ code, said, packages, waited }).toMatchObject({
      code: 0,
      packages: 'moods\t0.9\n',
      waited: 0,
    });
  });

  it.each([
    ['has an older version', '0.9'],
    ['is not there', undefined],
  ])('is made once the index of the PPA, which %s at first, shows it', async (_, published) => {
    const later = { published: '1.0', waits: 3 };
    const { code, said, waited } = await derive({ name: NEW, version: '1.0', published, later });
    expect({ code, said, waited }).toMatchObject({ code: 0, waited: 30 });
  });

  it('cannot be made yet where the index does not show it in time: a later try may do it', async () => {
    const landed = { name: NEW, version: '1.0', published: '0.9', other: OTHER };
    const { said, ...end } = await derive(landed);
    expect(said).toBe('The PPA does not show stars=1.0.\n');
    expect(end).toMatchObject({ code: 1, isMade: false, waited: PATIENCE_S });
  });
});

describe('the image of a landing whose tar', () => {
  it.each([
    ['cannot read all of it', 'exit 2', 2],
    ['is ended', 'kill -KILL $$', 128 + 9],
  ])('%s is not made', async (_, packs, expected) => {
    const { code, packages } = await derive({ version: '1.0', published: '1.0', packs });
    expect({ code, packages }).toEqual({ code: expected, packages: 'moods\t1.0\n' });
  });
});
