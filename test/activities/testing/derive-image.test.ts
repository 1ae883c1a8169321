import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
/** What the PPA has, and the landing has not. */
const NOT_LANDED = { name: 'tides', version: '1.0' };
const UNINSTALLABLE = 10;

/**
 * Derives an image of a base image that is little more than apt's and dpkg's own files: this machine's programs work on
 * these in place of the image's own.
 *
 * @param landed the package of the landing, and what the PPA has of it
 * @param others `alone` where nothing else of the PPA is taken
 */
async function derive(
  landed: { version: string; published: string; depends?: string },
  others: string[] = [],
) {
  const folder = temporaryDirectory();
  const root = join(folder, 'root');
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), mode);
  };
  await makeRepository(write, folder, landed);
  write('names', `${INSTALLED.name}=${landed.version}\n`);
  write(
    'overlay/etc/apt/sources.list.d/airline-ppa.list',
    `deb [trusted=yes] file:${join(folder, 'ppa')} ./\n`,
  );
  write('overlay/etc/apt/apt.conf.d/zz-airline-proxy', '');
  write('apt.conf', `Dir "${root}";\nDpkg::Options { "--root=${root}"; };\n`);
  // In place of the namespace: the folder, the helper and the root come before the command.
  write(
    'tools/unshare',
    `#!/bin/sh\nshift 5\n[ "$1" != dpkg-query ] || set -- "$@" "--admindir=${root}/var/lib/dpkg"\nexec "$@"\n`,
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
  const end = await execute('sh', [SCRIPT, folder, base, image, ...others], { env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      said: stdout + stderr,
    }),
  );
  const packages = join(folder, 'packages');
  return { ...end, packages: existsSync(packages) ? readFileSync(packages, 'utf8') : undefined };
}

type Write = (path: string, text: string, mode?: number) => void;

async function makeRepository(
  write: Write,
  folder: string,
  { published, depends }: { published: string; depends?: string },
): Promise<void> {
  const ppa = join(folder, 'ppa');
  mkdirSync(ppa);
  const landed = { name: INSTALLED.name, version: published, depends };
  for (const { name, version, depends: wanted } of [
    landed,
    { ...NOT_LANDED, depends: undefined },
  ]) {
    write(
      `tree-${name}/DEBIAN/control`,
      [
        `Package: ${name}`,
        `Version: ${version}`,
        'Architecture: all',
        'Maintainer: Test <test@airline.example>',
        ...(wanted === undefined ? [] : [`Depends: ${wanted}`]),
        `Description: ${name}\n`,
      ].join('\n'),
    );
    const tree = join(folder, `tree-${name}`);
    await execute('dpkg-deb', ['--build', '--root-owner-group', tree, ppa]);
  }
  const list = async (...what: string[]) =>
    (await execute('apt-ftparchive', [...what, '.'], { cwd: ppa })).stdout;
  writeFileSync(join(ppa, 'Packages'), await list('packages'));
  const origin = 'APT::FTPArchive::Release::Origin=LP-PPA-me-test';
  // Unsigned as it is, apt reads no InRelease.
  writeFileSync(join(ppa, 'Release'), await list('-o', origin, 'release'));
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
    const landed = { version: '1.0', published: '1.0', depends: NOT_LANDED.name };
    const { code, said } = await derive(landed, ['alone']);
    expect(said).toContain('moods : Depends: tides');
    expect(code).toBe(UNINSTALLABLE);
  });

  it('has what it needs of the PPA where that is not held apart', async () => {
    const landed = { version: '1.0', published: '1.0', depends: NOT_LANDED.name };
    const { code, packages } = await derive(landed);
    expect({ code, packages }).toEqual({ code: 0, packages: 'moods\t1.0\ntides\t1.0\n' });
  });

  it('cannot be made yet where the PPA does not show the version: a later try may do it', async () => {
    const { code, said } = await derive({ version: '1.1', published: '1.0' });
    expect(said).toContain('The PPA does not show moods=1.1.');
    expect(code).toBe(1);
  });
});
