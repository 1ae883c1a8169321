import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPackageList, type AutopkgtestOutput } from '../../../domain/testing/autopkgtest.ts';
import type { InstalledPackage } from '../../../domain/testing/image.ts';
import { isPlainFolder } from '../../../sandbox/take-out.ts';

const MAX_BYTES = 4 * 2 ** 20;
const MAX_LISTS = 5_000;
/** Of all lists together: some hundreds for each of some thousand tests. */
const MAX_PACKAGES = 1_000_000;

/**
 * Reads what autopkgtest has left in its output folder, which strangers' code may have written to. Nothing is read
 * where a link stands in its place: it may lead anywhere.
 *
 * @returns `fault`, and nothing as installed, where the lists of packages are too long
 */
export async function readOutcome(directory: string): Promise<Omit<AutopkgtestOutput, 'exitCode'>> {
  const isFolder = await isPlainFolder(directory);
  const read = async (name: string) => (isFolder ? readOwnFile(join(directory, name)) : null);
  const names = isFolder ? await readdir(directory) : [];
  const lists = names.filter((name) => name.endsWith('-packages')).slice(0, MAX_LISTS);
  const packagesIn = async (name: string) => readPackageList((await read(name)) ?? '');
  const ofBed = await packagesIn('testbed-packages');
  const ofTests: InstalledPackage[] = [];
  const areTooMany = () => ofBed.length + ofTests.length > MAX_PACKAGES;
  for (const name of lists) {
    if (areTooMany()) break;
    if (name !== 'testbed-packages') for (const one of await packagesIn(name)) ofTests.push(one);
  }
  // autopkgtest lists for a test only what the test bed lacked, by name: a package that the test brought up to date has
  // the version of the test bed. Whatever is said twice all the same counts as the test's.
  const replaced = new Set(ofTests.map(({ name }) => name));
  return {
    summary: await read('summary'),
    testedSource: (await read('testpkg-version'))?.trim() ?? null,
    hasTestinfo: (await read('testinfo.json')) !== null,
    ...(areTooMany()
      ? { installed: [], fault: `The tests left lists of more than ${MAX_PACKAGES} packages.` }
      : { installed: [...ofBed.filter(({ name }) => !replaced.has(name)), ...ofTests] }),
  };
}

/** The text of a plain file, never of what it links to; null where there is none, or it is too long. */
export async function readOwnFile(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return null;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= MAX_BYTES ? await file.readFile('utf8') : null;
  } finally {
    await file.close();
  }
}
