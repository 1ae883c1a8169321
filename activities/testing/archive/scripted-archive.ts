import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createArchiveIndexer } from '../../../domain/packages/archive-index.ts';
import { fileStem, type PackageVersion } from '../../../domain/packages/source-file.ts';
import type { TestArchive } from './test-archive.ts';
import { readTestScript } from '../test-script.ts';

/** The archive that a script says, which is read again at each use. Its sources hold nothing. */
export function createScriptedArchive(scriptPath: string, workDir: string): TestArchive {
  return {
    // The script is all of it: a target adds nothing.
    targetRelease: async () => undefined,

    async readIndex() {
      const { addSource, addBinary, index } = createArchiveIndexer();
      const { archive } = readTestScript(scriptPath);
      const all = Object.entries(archive);
      for (const [name, { version, triggers }] of all)
        addSource(
          new Map([
            ['package', name],
            ['version', version],
            ['testsuite', 'autopkgtest'],
            ['testsuite-triggers', triggers.join(', ')],
          ]),
        );
      for (const [name, { dependsOn }] of all)
        addBinary(
          new Map([
            ['package', name],
            ['depends', dependsOn.join(', ')],
          ]),
        );
      return { releases: [hexSum('sha256', JSON.stringify(archive))], index: index() };
    },

    async fetchSources(_, packages, take) {
      const faults = new Map<string, string>();
      for (const each of packages) {
        const fault = readTestScript(scriptPath).archive[each.source]?.fails;
        if (fault !== undefined) faults.set(each.source, fault);
        else await giveSource(each, join(workDir, `source-${randomUUID()}`), take);
      }
      return faults;
    },
  };
}

async function giveSource(
  each: PackageVersion,
  directory: string,
  take: (source: PackageVersion, directory: string) => Promise<void>,
): Promise<void> {
  const name = `${fileStem(each)}.tar.xz`;
  const content = `${each.source} ${each.version}\n`;
  const file = (algorithm: string) => ` ${hexSum(algorithm, content)} ${content.length} ${name}`;
  const dsc = [
    'Format: 3.0 (native)',
    `Source: ${each.source}`,
    'Architecture: all',
    `Version: ${each.version}`,
    'Testsuite: autopkgtest',
    'Checksums-Sha1:',
    file('sha1'),
    'Checksums-Sha256:',
    file('sha256'),
    'Files:',
    file('md5'),
    '',
  ];
  await mkdir(directory, { recursive: true });
  try {
    await writeFile(join(directory, name), content);
    await writeFile(join(directory, `${fileStem(each)}.dsc`), dsc.join('\n'));
    await take(each, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function hexSum(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}
