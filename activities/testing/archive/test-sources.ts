import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ArchiveIndex } from '../../../domain/packages/archive-index.ts';
import { AirlineError } from '../../../domain/errors.ts';
import type { ImagePlace } from '../../../domain/testing/image.ts';
import { fileStem, type PackageVersion } from '../../../domain/packages/source-file.ts';
import { parseSourceControl } from '../../../domain/packages/source-package.ts';
import type { DataStore } from '../../../store/store.ts';
import type { TestingDependencies } from '../dependencies.ts';

type Dependencies = Pick<TestingDependencies, 'archive' | 'sources' | 'store'>;

/** The files of a source package in the data store, or why they cannot be had. */
export type TestSource = { files: string[] } | { fault: string };

/**
 * Fetches sources of a place into the data store, under `test-sources/<distribution>/<source>/<version>/`, or with the
 * target in place of the distribution. There each stays for all who test it. One that is larger than `sources.maxBytes`
 * is not fetched.
 *
 * @param archived what the sources are of
 * @param onSource gets each one as soon as that is known
 * @throws Error where the archive cannot be read now
 */
export async function fetchTestSources(
  { archive, sources: { maxBytes }, store }: Dependencies,
  { place, index }: { place: ImagePlace; index: ArchiveIndex },
  packages: readonly PackageVersion[],
  {
    onSource,
    signal,
  }: {
    onSource: (of: PackageVersion, found: TestSource) => Promise<void> | undefined;
    signal: AbortSignal;
  },
): Promise<void> {
  const sizes = new Map(index.sources.map(({ name, bytes }) => [name, bytes]));
  const missing: PackageVersion[] = [];
  for (const each of packages) {
    const files = await storedFiles(store, place, each);
    if (files) await onSource(each, { files });
    else if ((sizes.get(each.source) ?? 0) > maxBytes)
      await onSource(each, { fault: `${each.source} is larger than ${maxBytes} bytes.` });
    else missing.push(each);
  }
  if (missing.length === 0) return;
  const take = async (each: PackageVersion, directory: string): Promise<void> => {
    const dsc = `${fileStem(each)}.dsc`;
    const content = await readFile(join(directory, dsc), 'utf8');
    let names: string[];
    try {
      names = filesOf(content, dsc);
    } catch (error) {
      if (!(error instanceof AirlineError)) throw error;
      return onSource(each, { fault: error.message });
    }
    for (const name of names)
      await store.put(keyOf(place, each, name), createReadStream(join(directory, name)));
    return onSource(each, { files: names.map((name) => store.urlOf(keyOf(place, each, name))) });
  };
  const faults = await archive.fetchSources(place, missing, take, signal);
  for (const each of missing) {
    const fault = faults.get(each.source);
    if (fault !== undefined) await onSource(each, { fault });
  }
}

/** The URLs of a source's files, where the data store has them. */
async function storedFiles(
  store: DataStore,
  place: ImagePlace,
  of: PackageVersion,
): Promise<string[] | undefined> {
  const dsc = `${fileStem(of)}.dsc`;
  const found = await store.get(keyOf(place, of, dsc));
  if (!found) return undefined;
  const names = filesOf(await text(found.stream), dsc);
  return names.map((name) => store.urlOf(keyOf(place, of, name)));
}

/** The names of a source's files, the .dsc last: where the data store has that, it has the others. */
function filesOf(content: string, dsc: string): string[] {
  return [...parseSourceControl(content, dsc).files.map(({ name }) => name), dsc];
}

function keyOf(
  { distribution, target }: ImagePlace,
  { source, version }: PackageVersion,
  name: string,
): string {
  // Two PPAs may have different sources of the same version.
  return `test-sources/${target ?? distribution}/${source}/${version}/${name}`;
}
