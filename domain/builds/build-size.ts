import { fileNameOfUrl, namedSources } from '../packages/source-file.ts';

/**
 * Temporal fails a task whose payload is larger than 2 MiB, for ever. What a build carries grows with its request, and
 * has to fit with what else goes with it: texts of failures, the order, limits.
 */
export const MAX_CARRIED_BYTES = 1_572_864;

/** A checked file's sums, size and version in the data store, with the names of their fields. */
const FILE_BYTES = 300;
/** Most characters of what a build says of the dependencies that it waits for, which is for people. */
export const MAX_DEPENDENCIES_LENGTH = 300;
/** One architecture's build of a source package; its addresses make most of what else there is. */
const RECORD_BYTES = 800 + MAX_DEPENDENCIES_LENGTH;
/** Launchpad builds for no more. */
const ARCHITECTURES = 8;

/** How many bytes the workflow of a build carries at most, in one payload, whatever its packages come to. */
export function carriedBytes(urls: readonly string[]): number {
  const files = urls.reduce(
    (sum, url) => sum + url.length + fileNameOfUrl(url).length + FILE_BYTES,
    0,
  );
  return files + namedSources(urls).length * ARCHITECTURES * RECORD_BYTES;
}
