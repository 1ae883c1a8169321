import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ArchiveIndex } from '../../../domain/packages/archive-index.ts';
import type { ImagePlace } from '../../../domain/testing/image.ts';
import type { TestingDependencies } from '../dependencies.ts';

/** Changes when indexes are made in another way. */
const FORMAT = '2';

type Dependencies = Pick<TestingDependencies, 'archive' | 'logger' | 'store'>;

/**
 * Reads what the archive says now and keeps it in the data store, so that a base image that is made now has its index
 * for as long as it is used.
 *
 * @returns the key that it is kept under, and the index
 * @throws Error where the archive cannot be read now
 */
export async function keepArchiveIndex(
  { archive, store }: Pick<Dependencies, 'archive' | 'store'>,
  place: ImagePlace,
  signal: AbortSignal,
): Promise<{ key: string; index: ArchiveIndex }> {
  const { releases, index } = await archive.readIndex(place, signal);
  const key = keyOf(place, releases);
  await store.put(key, Readable.from([JSON.stringify(index)]));
  return { key, index };
}

/**
 * The index of the archive that a base image is made from, on the day that it was made. Where none was kept then, it is
 * the archive's of today.
 *
 * @throws Error where the archive cannot be read now
 */
export async function archiveIndexOf(
  deps: Dependencies,
  image: ImagePlace & { releases: Record<string, string> },
  signal: AbortSignal,
): Promise<ArchiveIndex> {
  const wanted = keyOf(image, Object.values(image.releases));
  const kept = await deps.store.get(wanted);
  if (kept) return JSON.parse(await text(kept.stream)) as ArchiveIndex;
  const { key, index } = await keepArchiveIndex(deps, image, signal);
  if (key !== wanted)
    deps.logger.info(
      { series: image.series, architecture: image.architecture },
      'the archive has changed since the base image was made: the tests are planned by its index of today',
    );
  return index;
}

/** @param releases the SHA-256 of each InRelease, in any order */
function keyOf({ architecture }: ImagePlace, releases: readonly string[]): string {
  const content = JSON.stringify([FORMAT, architecture, ...releases.toSorted()]);
  return `archive-indexes/${createHash('sha256').update(content).digest('hex')}.json`;
}
