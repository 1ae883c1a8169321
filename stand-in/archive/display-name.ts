import { isPpa, type Archive } from '../../domain/packages/archive.ts';

/** What Launchpad calls an archive, in messages too. */
export function displayNameOf(archive: Archive): string {
  return isPpa(archive)
    ? `${archive.name} of ${archive.owner}`
    : `Primary Archive for ${archive.distribution}`;
}
