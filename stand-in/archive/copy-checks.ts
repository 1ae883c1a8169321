import { archiveReference, type Archive, type Pocket } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import type { Distributions } from '../options.ts';
import type { ArchiveState } from './archive-state.ts';
import {
  hasEnded,
  isActive,
  type BinaryPublication,
  type Publication,
  type SourcePublication,
} from './records.ts';
import { binariesOf, buildsOf } from './releases.ts';

/** A source cannot be copied; the message is Launchpad's. */
export class CannotCopy extends Error {}

/** Where a source is copied to, and whether with its packages. */
export type CopyTarget = {
  archive: Archive;
  series: string;
  pocket: Pocket;
  includeBinaries: boolean;
};

type CheckDependencies = {
  state: ArchiveState;
  distributions: Distributions;
  /** Whether the files of a publication are gone, because it was deleted long ago. */
  isExpired: (one: Publication) => boolean;
};

/**
 * The checks of Launchpad's `CopyChecker` (lib/lp/soyuz/scripts/packagecopier.py), in their order.
 *
 * @throws CannotCopy
 */
export function checkCopy(
  origin: SourcePublication,
  target: CopyTarget,
  dependencies: CheckDependencies,
): void {
  const { state, distributions, isExpired } = dependencies;
  const { archive, series, pocket, includeBinaries } = target;
  const { distribution } = archive;
  if (!distributions[distribution]?.includes(series))
    throw new CannotCopy(`Series ${series} not supported in archive for ${distribution}.`);
  if (state.publicationsOf(origin.releaseId).every(isExpired))
    throw new CannotCopy('source contains expired files');
  if (includeBinaries) {
    const binaries = binariesOf(state, origin);
    if (binaries.length === 0) throw new CannotCopy('source has no binaries to be copied');
    const all = state.binaries();
    for (const binary of binaries)
      if (all.filter((one) => fileOf(one) === fileOf(binary)).every(isExpired))
        throw new CannotCopy('source has expired binaries');
  }
  checkConflicts(state, origin, target);
  checkFiles(state, origin, target);
  const reference = archiveReference(archive);
  const newer = state
    .sources(reference)
    .find(
      (one) =>
        isActive(one) &&
        one.source === origin.source &&
        one.series === series &&
        one.pocket === pocket &&
        compareVersions(origin.version, one.version) < 0,
    );
  if (newer)
    throw new CannotCopy(
      `version older than the ${newer.source} ${newer.version} in ${series} published in ${series}`,
    );
}

/** The same version in the archive has to be the same source, at rest, with no package that the copy lacks. */
function checkConflicts(
  state: ArchiveState,
  origin: SourcePublication,
  { archive, series, includeBinaries }: CopyTarget,
): void {
  const reference = archiveReference(archive);
  const published = new Set<string>();
  for (const candidate of state.sources(reference)) {
    if (candidate.source !== origin.source || candidate.version !== origin.version) continue;
    if (candidate.releaseId !== origin.releaseId)
      throw new CannotCopy(
        'a different source with the same version is published in the destination archive',
      );
    if (candidate.series === series && origin.archive === reference && includeBinaries) continue;
    if (buildsOf(state, candidate).some((build) => !hasEnded(build.state)))
      throw new CannotCopy(
        `same version already building in the destination archive for ${candidate.series}`,
      );
    const binaries = binariesOf(state, candidate);
    if (binaries.some(({ status }) => status === 'Pending'))
      throw new CannotCopy(
        `same version has unpublished binaries in the destination archive for ${candidate.series}, please wait for them to be published before copying`,
      );
    for (const binary of binaries) published.add(fileOf(binary));
  }
  if (!includeBinaries && published.size > 0)
    throw new CannotCopy('same version already has published binaries in the destination archive');
  const copied = new Set(binariesOf(state, origin).map(fileOf));
  if (includeBinaries && ![...published].every((file) => copied.has(file)))
    throw new CannotCopy('binaries conflicting with the existing ones');
}

/** An archive has one file of each name, for ever. */
function checkFiles(
  state: ArchiveState,
  origin: SourcePublication,
  { archive, includeBinaries }: CopyTarget,
): void {
  const reference = archiveReference(archive);
  if (origin.archive === reference) return;
  const held = new Map(
    [
      ...state.sources(reference).flatMap(({ files }) => files),
      ...state.binaries(reference).map(({ file }) => file),
    ].map(({ name, sha256 }) => [name, sha256] as const),
  );
  const binaries = includeBinaries ? binariesOf(state, origin) : [];
  for (const { name, sha256 } of [...origin.files, ...binaries.map(({ file }) => file)])
    if ((held.get(name) ?? sha256) !== sha256)
      throw new CannotCopy(
        `${name} already exists in destination archive with different contents.`,
      );
}

/** What makes a package the same one in another archive: the build that made it, and its file. */
export function fileOf({ buildId, file }: BinaryPublication): string {
  return `${buildId} ${file.name}`;
}
