import { execFile } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { SignedUpload } from '../../main/demo/sign-upload.ts';
import type { SigningKey } from './signing-key.ts';

const execute = promisify(execFile);
const LIMITS = { timeout: 300_000, maxBuffer: 16 * 2 ** 20 };

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
  /** So many random bytes in place of the upstream tarball of `quilt`, for uploads that are never unpacked. */
  upstreamBytes?: number;
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

/** A source package as those take it who store it. */
export function uploadOf({ name: source, version, directory, files }: SourcePackage): SignedUpload {
  return { source, version, directory, files: files.map((path) => basename(path)) };
}

/**
 * Makes a small source package as dpkg-buildpackage and debsign do, in a tenth of their time. It builds without
 * debhelper, so that nothing has to be installed in a chroot, into one binary package with a file
 * `/usr/share/<name>/probe`.
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
    upstreamBytes,
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
      await pack(scratch, join(scratch, `${name}_${upstream}.orig.tar.gz`), `${name}-${upstream}`);
    await write('debian/source/format', format === 'quilt' ? '3.0 (quilt)\n' : '3.0 (native)\n');
    await write(
      'debian/changelog',
      `${name} (${version}) ${distribution}; urgency=medium\n\n  * A probe.\n\n -- ${MAINTAINER}  ${DATE}\n`,
    );
    await write(
      'debian/control',
      [
        `Source: ${name}`,
        'Section: misc',
        'Priority: optional',
        `Maintainer: ${MAINTAINER}`,
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
    const stem = `${name}_${version.replace(/^\d+:/, '')}`;
    const tarballs =
      format === 'quilt'
        ? [`${name}_${upstream}.orig.tar.gz`, `${stem}.debian.tar.xz`]
        : [`${stem}.tar.xz`];
    if (format === 'native')
      await pack(scratch, join(directory, `${stem}.tar.xz`), `${name}-${upstream}`);
    else {
      await pack(tree, join(directory, `${stem}.debian.tar.xz`), 'debian');
      const original = `${name}_${upstream}.orig.tar.gz`;
      if (upstreamBytes === undefined)
        await copyFile(join(scratch, original), join(directory, original));
      else await writeRandom(join(directory, original), upstreamBytes);
    }
    const source = { name, version, distribution, architecture, buildDepends, format };
    const put = async (file: string, content: string) => {
      const signed = key && !file.endsWith('.buildinfo') ? await key.clearSign(content) : content;
      await writeFile(join(directory, file), signed);
    };
    await put(`${stem}.dsc`, dscOf(source, await listed(directory, tarballs)));
    const inBuildinfo = await listed(directory, [`${stem}.dsc`]);
    await put(`${stem}_source.buildinfo`, buildinfoOf(source, inBuildinfo));
    const names = [`${stem}.dsc`, ...tarballs, `${stem}_source.buildinfo`];
    await put(`${stem}_source.changes`, changesOf(source, await listed(directory, names)));
    names.push(`${stem}_source.changes`);
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

/** Packs a folder; how, the archive's name says. */
async function pack(from: string, archive: string, folder: string): Promise<void> {
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner'];
  await execute('tar', [...plain, '-C', from, '-caf', archive, folder], {
    ...LIMITS,
    // xz fills 94 MiB of memory else, however small the folder is.
    env: { ...process.env, XZ_OPT: '-0' },
  });
}

type Listed = { name: string; sizeBytes: number; md5: string; sha1: string; sha256: string };

/** Files as Debian's lists of checksums have them. */
function listed(directory: string, names: readonly string[]): Promise<Listed[]> {
  return Promise.all(
    names.map(async (name) => {
      const [md5, sha1, sha256] = [createHash('md5'), createHash('sha1'), createHash('sha256')];
      let sizeBytes = 0;
      for await (const chunk of createReadStream(join(directory, name)) as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        for (const hash of [md5, sha1, sha256]) hash.update(chunk);
      }
      return {
        name,
        sizeBytes,
        md5: md5.digest('hex'),
        sha1: sha1.digest('hex'),
        sha256: sha256.digest('hex'),
      };
    }),
  );
}

/** Writes so many random bytes without holding them in memory. */
async function writeRandom(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, 'wx');
  const block = Buffer.allocUnsafe(Math.min(8 * 2 ** 20, sizeBytes));
  for (let left = sizeBytes; left > 0; left -= block.length)
    await file.write(randomFillSync(block.subarray(0, left)));
  await file.close();
}

type Described = Required<
  Pick<
    SourceOptions,
    'name' | 'version' | 'distribution' | 'architecture' | 'buildDepends' | 'format'
  >
>;

const MAINTAINER = 'Airline Test <test@airline.example>';
const DATE = 'Thu, 01 Jan 2026 00:00:00 +0000';

const checksums = (files: readonly Listed[], ofFile: string) => [
  'Checksums-Sha1:',
  ...files.map(({ sha1, sizeBytes, name }) => ` ${sha1} ${sizeBytes} ${name}`),
  'Checksums-Sha256:',
  ...files.map(({ sha256, sizeBytes, name }) => ` ${sha256} ${sizeBytes} ${name}`),
  'Files:',
  ...files.map(({ md5, sizeBytes, name }) => ` ${md5} ${sizeBytes} ${ofFile}${name}`),
  '',
];

function dscOf(source: Described, files: readonly Listed[]): string {
  const { name, version, architecture, buildDepends, format } = source;
  return [
    `Format: 3.0 (${format})`,
    `Source: ${name}`,
    `Binary: ${name}`,
    `Architecture: ${architecture}`,
    `Version: ${version}`,
    `Maintainer: ${MAINTAINER}`,
    'Standards-Version: 4.6.2',
    ...(buildDepends.length > 0 ? [`Build-Depends: ${buildDepends.join(', ')}`] : []),
    'Package-List:',
    ` ${name} deb misc optional arch=${architecture}`,
    ...checksums(files, ''),
  ].join('\n');
}

/** Only how it begins: nobody reads the rest, which lists what was installed. */
function buildinfoOf({ name, version }: Described, files: readonly Listed[]): string {
  return [
    'Format: 1.0',
    `Source: ${name}`,
    `Binary: ${name}`,
    'Architecture: source',
    `Version: ${version}`,
    ...checksums(files, ''),
  ].join('\n');
}

function changesOf({ name, version, distribution }: Described, files: readonly Listed[]): string {
  return [
    'Format: 1.8',
    `Date: ${DATE}`,
    `Source: ${name}`,
    'Architecture: source',
    `Version: ${version}`,
    `Distribution: ${distribution}`,
    'Urgency: medium',
    `Maintainer: ${MAINTAINER}`,
    `Changed-By: ${MAINTAINER}`,
    'Changes:',
    ` ${name} (${version}) ${distribution}; urgency=medium`,
    ' .',
    '   * A probe.',
    ...checksums(files, 'misc optional '),
  ].join('\n');
}
