import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const LIMITS = { timeout: 60_000, maxBuffer: 16 * 2 ** 20 };

/** A throw-away OpenPGP key without a passphrase. */
export type SigningKey = {
  fingerprint: string;
  /** Armoured public key: what the stand-in takes as a file in its `keys/`. */
  publicKey: string;
  /** GNUPGHOME that holds the secret key. */
  gnupgHome: string;
  /** Ends the key's agent and deletes the key. */
  remove(): Promise<void>;
};

/** Makes a throw-away key in a GNUPGHOME of its own, with a path short enough for an agent's socket. */
export async function makeSigningKey(
  identity = 'Airline Test <test@airline.example>',
): Promise<SigningKey> {
  const gnupgHome = await mkdtemp(join(tmpdir(), 'gnupg-'));
  const env = { ...process.env, GNUPGHOME: gnupgHome };
  const gpg = async (...args: string[]) =>
    (await execute('gpg', ['--batch', '--passphrase', '', ...args], { ...LIMITS, env })).stdout;
  await gpg('--quick-generate-key', identity, 'rsa2048', 'sign', 'never');
  const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(await gpg('--list-keys', '--with-colons'))?.[1];
  if (!fingerprint) throw new Error('gpg made no key');
  return {
    fingerprint,
    publicKey: await gpg('--armor', '--export', fingerprint),
    gnupgHome,
    async remove() {
      await execute('gpgconf', ['--kill', 'all'], { ...LIMITS, env });
      await rm(gnupgHome, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export type SourceOptions = {
  /** Folder that the files are written to; it is made where it does not exist. */
  directory: string;
  /** Signs the `.dsc` and the `.changes`; without it they stay unsigned. */
  key?: SigningKey;
  name?: string;
  version?: string;
  distribution?: string;
  /** Architecture of the one binary package, which is named as the source. */
  architecture?: string;
  buildDepends?: readonly string[];
  depends?: readonly string[];
  /** Shell commands of the build target, one a line. */
  build?: readonly string[];
  /** Files of the source, by path, beside `debian/`. */
  files?: Readonly<Record<string, string | Buffer>>;
  /** `native`: one tarball. `quilt`: an upstream tarball and Debian's; the version needs a revision. */
  format?: 'native' | 'quilt';
};

/** The files of one source package upload. */
export type SourcePackage = {
  name: string;
  version: string;
  directory: string;
  /** Paths of the `.changes` and the `.dsc`. */
  changes: string;
  dsc: string;
  /** Paths of all files of the upload, the `.changes` last. */
  files: string[];
};

/**
 * Makes a small source package with Debian's own tools. It builds without debhelper, so that nothing has to be
 * installed in a chroot, into one binary package with a file `/usr/share/<name>/probe`.
 */
export async function makeSource(options: SourceOptions): Promise<SourcePackage> {
  const {
    directory,
    key,
    name = 'airline-probe',
    version = '1.0',
    distribution = 'bookworm',
    architecture = 'all',
    buildDepends = [],
    depends = [],
    build = ['true'],
    files = {},
    format = 'native',
  } = options;
  const upstream = version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'source-'));
  try {
    const tree = join(scratch, `${name}-${upstream}`);
    const write = async (path: string, content: string | Buffer) => {
      await mkdir(join(tree, path, '..'), { recursive: true });
      await writeFile(join(tree, path), content);
    };
    await mkdir(tree);
    await write('probe', `${name} ${version}\n`);
    for (const [path, content] of Object.entries(files)) await write(path, content);
    if (format === 'quilt')
      await execute(
        'tar',
        [
          '-C',
          scratch,
          '-czf',
          join(scratch, `${name}_${upstream}.orig.tar.gz`),
          `${name}-${upstream}`,
        ],
        LIMITS,
      );
    await write('debian/source/format', format === 'quilt' ? '3.0 (quilt)\n' : '3.0 (native)\n');
    await write(
      'debian/changelog',
      `${name} (${version}) ${distribution}; urgency=medium\n\n  * A probe.\n\n -- Airline Test <test@airline.example>  Thu, 01 Jan 2026 00:00:00 +0000\n`,
    );
    await write(
      'debian/control',
      [
        `Source: ${name}`,
        'Section: misc',
        'Priority: optional',
        'Maintainer: Airline Test <test@airline.example>',
        'Standards-Version: 4.6.2',
        'Rules-Requires-Root: no',
        ...(buildDepends.length > 0 ? [`Build-Depends: ${buildDepends.join(', ')}`] : []),
        '',
        `Package: ${name}`,
        `Architecture: ${architecture}`,
        ...(depends.length > 0 ? [`Depends: ${depends.join(', ')}`] : []),
        'Description: probe of a build',
        ' It holds one file.',
        '',
      ].join('\n'),
    );
    const [own, other] =
      architecture === 'all' ? ['binary-indep', 'binary-arch'] : ['binary-arch', 'binary-indep'];
    await write(
      'debian/rules',
      [
        '#!/usr/bin/make -f',
        'clean:',
        '\trm -rf debian/tree debian/files',
        'build build-arch build-indep:',
        ...build.map((line) => `\t${line}`),
        `${own}: build`,
        `\tmkdir -p debian/tree/DEBIAN debian/tree/usr/share/${name}`,
        `\tcp probe debian/tree/usr/share/${name}/probe`,
        `\tdpkg-gencontrol -p${name} -Pdebian/tree`,
        '\tdpkg-deb --root-owner-group --build debian/tree ..',
        `${other}:`,
        'binary: binary-arch binary-indep',
        '.PHONY: clean build build-arch build-indep binary binary-arch binary-indep',
        '',
      ].join('\n'),
    );
    await chmod(join(tree, 'debian/rules'), 0o755);
    await execute('dpkg-buildpackage', ['-S', '-d', '-us', '-uc', '-nc', '-sa'], {
      ...LIMITS,
      cwd: tree,
    });
    const stem = `${name}_${version.replace(/^\d+:/, '')}`;
    if (key)
      await execute('debsign', ['--no-conf', `-k${key.fingerprint}`, `${stem}_source.changes`], {
        ...LIMITS,
        cwd: scratch,
        env: { ...process.env, GNUPGHOME: key.gnupgHome },
      });
    const tarballs =
      format === 'quilt'
        ? [`${name}_${upstream}.orig.tar.gz`, `${stem}.debian.tar.xz`]
        : [`${stem}.tar.xz`];
    const names = [
      `${stem}.dsc`,
      ...tarballs,
      `${stem}_source.buildinfo`,
      `${stem}_source.changes`,
    ];
    await execute('cp', ['--', ...names.map((file) => join(scratch, file)), directory], LIMITS);
    return {
      name,
      version,
      directory,
      changes: join(directory, `${stem}_source.changes`),
      dsc: join(directory, `${stem}.dsc`),
      files: names.map((file) => join(directory, file)),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
