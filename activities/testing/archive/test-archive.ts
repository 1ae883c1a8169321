import type { ArchiveIndex } from '../../../domain/packages/archive-index.ts';
import type { ImagePlace } from '../../../domain/testing/image.ts';
import type { PackageVersion } from '../../../domain/packages/source-file.ts';

/** The index of an archive, and what it is of: the SHA-256 of each InRelease. */
type DatedIndex = { releases: string[]; index: ArchiveIndex };

/** The archives of a place, which have the tests of what depends on a landing's packages. */
export type TestArchive = {
  /**
   * The SHA-256 of the InRelease that the target of a place has for its series now; undefined where the place has no
   * target, or one that has published nothing for the series, or that only its owner can read.
   *
   * @throws Error where the target cannot be asked now
   */
  targetRelease: (place: ImagePlace, signal: AbortSignal) => Promise<string | undefined>;
  /**
   * Reads what the archive says now.
   *
   * @throws Error where it cannot be read now
   */
  readIndex: (place: ImagePlace, signal: AbortSignal) => Promise<DatedIndex>;
  /**
   * Fetches source packages and verifies them.
   *
   * @param take gets each one that could be had, with the folder that its files lie in until it returns
   * @returns why the others cannot be had, by the source's name
   * @throws Error where the archive cannot be read now, or the disk has too little room for sources
   */
  fetchSources: (
    place: ImagePlace,
    packages: readonly PackageVersion[],
    take: (source: PackageVersion, directory: string) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<Map<string, string>>;
};
