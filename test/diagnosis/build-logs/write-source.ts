import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TrialPackage } from './trial-packages.ts';

const execute = promisify(execFile);
const LIMITS = { timeout: 60_000 };
const UPSTREAM = '1.0';

const CHANGELOG = (source: string) => `${source} (${UPSTREAM}-1) bookworm; urgency=medium

  * A trial.

 -- Airline Test <test@airline.example>  Thu, 01 Jan 2026 00:00:00 +0000
`;
const control = ({ name, buildDepends, sourceFields = [], binaryFields }: TrialPackage) =>
  [
    `Source: ${name}`,
    'Section: misc',
    'Priority: optional',
    'Maintainer: Airline Test <test@airline.example>',
    'Standards-Version: 4.6.2',
    'Rules-Requires-Root: no',
    `Build-Depends: ${(buildDepends ?? ['debhelper-compat (= 13)']).join(', ')}`,
    ...sourceFields,
    '',
    `Package: ${name}`,
    ...(binaryFields ?? ['Architecture: any', 'Depends: ${shlibs:Depends}, ${misc:Depends}']),
    'Description: trial of a build log',
    ' It is not to be installed.',
    '',
  ].join('\n');

/**
 * Writes a source package file by file, in the format `3.0 (quilt)`. Debian's own tools would refuse many a package
 * that is broken as these are.
 *
 * @param directory gets the files
 * @returns the paths of all files, the `.dsc` last
 */
export async function writeSource(trial: TrialPackage, directory: string): Promise<string[]> {
  const { name, files = {}, debian = {}, patches = {}, rules = [] } = trial;
  const tree = join(directory, `${name}-${UPSTREAM}`);
  await writeTree(tree, { README: `${name}\n`, ...files });
  const patchFiles = Object.entries(patches).map(([patch, text]) => [
    `debian/patches/${patch}`,
    text,
  ]);
  await writeTree(join(directory, 'packaging'), {
    'debian/changelog': CHANGELOG(name),
    'debian/control': control(trial),
    'debian/rules': ['#!/usr/bin/make -f', '%:', '\tdh $@', ...rules, ''].join('\n'),
    'debian/source/format': '3.0 (quilt)\n',
    ...Object.fromEntries(
      Object.entries(debian).map(([path, text]) => [`debian/${path}`, text] as const),
    ),
    ...(patchFiles.length > 0
      ? { 'debian/patches/series': `${Object.keys(patches).join('\n')}\n` }
      : {}),
    ...Object.fromEntries(patchFiles),
  });
  const original = join(directory, `${name}_${UPSTREAM}.orig.tar.gz`);
  const packaging = join(directory, `${name}_${UPSTREAM}-1.debian.tar.xz`);
  await execute('tar', ['-C', directory, '-czf', original, `${name}-${UPSTREAM}`], LIMITS);
  await execute('tar', ['-C', join(directory, 'packaging'), '-cJf', packaging, 'debian'], LIMITS);
  await trial.damageBeforeSigning?.(original);
  const sums = await Promise.all(
    [original, packaging].map(async (path) => {
      const content = await readFile(path);
      const digest = createHash('sha256').update(content).digest('hex');
      return ` ${digest} ${content.length} ${path.slice(directory.length + 1)}`;
    }),
  );
  await trial.damageAfterSigning?.(original);
  const dsc = join(directory, `${name}_${UPSTREAM}-1.dsc`);
  await writeFile(
    dsc,
    [
      'Format: 3.0 (quilt)',
      `Source: ${name}`,
      `Binary: ${name}`,
      'Architecture: any',
      `Version: ${UPSTREAM}-1`,
      'Maintainer: Airline Test <test@airline.example>',
      'Standards-Version: 4.6.2',
      `Build-Depends: ${(trial.buildDepends ?? ['debhelper-compat (= 13)']).join(', ')}`,
      ...(trial.sourceFields ?? []),
      'Package-List:',
      ` ${name} deb misc optional arch=any`,
      'Checksums-Sha256:',
      ...sums,
      // dpkg-source wants the field; sbuild compares the SHA-256.
      'Files:',
      ...(await Promise.all(
        [original, packaging].map(async (path) => {
          const content = await readFile(path);
          const digest = createHash('md5').update(content).digest('hex');
          return ` ${digest} ${content.length} ${path.slice(directory.length + 1)}`;
        }),
      )),
      '',
    ].join('\n'),
  );
  return [original, packaging, dsc];
}

async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}
