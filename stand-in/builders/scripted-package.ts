import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../sandbox/command.ts';
import { fileStem } from '../../domain/packages/source-file.ts';
import type { Build } from '../archive/records.ts';

const DEB_MS = 30_000;

/**
 * Makes what a build would have made: a package without contents, named as the source, and its `.changes`.
 *
 * @returns the folder, until `removeScriptedPackage`
 */
export async function makeScriptedPackage(build: Build): Promise<string> {
  const { source, version, architecture, series } = build;
  const directory = directoryOf(build);
  const tree = join(directory, 'tree');
  const builtDir = join(directory, 'built');
  await mkdir(join(tree, 'DEBIAN'), { recursive: true });
  await mkdir(builtDir, { recursive: true });
  await writeFile(
    join(tree, 'DEBIAN', 'control'),
    [
      `Package: ${source}`,
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      'Section: misc',
      'Maintainer: A script <script@airline.example>',
      'Description: what a script says was built',
      '',
    ].join('\n'),
  );
  const stem = `${fileStem({ source, version })}_${architecture}`;
  const deb = join(builtDir, `${stem}.deb`);
  await run('dpkg-deb', ['--root-owner-group', '--build', tree, deb], { timeoutMs: DEB_MS });
  const content = await readFile(deb);
  const sum = (algorithm: string) => createHash(algorithm).update(content).digest('hex');
  await writeFile(
    join(builtDir, `${stem}.changes`),
    [
      'Format: 1.8',
      `Source: ${source}`,
      `Version: ${version}`,
      `Distribution: ${series}`,
      `Architecture: ${architecture}`,
      'Changed-By: A script <script@airline.example>',
      'Checksums-Sha1:',
      ` ${sum('sha1')} ${content.length} ${stem}.deb`,
      'Checksums-Sha256:',
      ` ${sum('sha256')} ${content.length} ${stem}.deb`,
      'Files:',
      ` ${sum('md5')} ${content.length} misc optional ${stem}.deb`,
      '',
    ].join('\n'),
  );
  return builtDir;
}

/** Removes what `makeScriptedPackage` made for a build, if anything. */
export function removeScriptedPackage(build: Build): Promise<void> {
  return rm(directoryOf(build), { recursive: true, force: true });
}

function directoryOf({ archive, id }: Build): string {
  return join(tmpdir(), `airline-scripted-${process.pid}-${archive.replaceAll('/', '-')}-${id}`);
}
