import {
  INVALID_PPA,
  LAUNCHPAD_NAME,
  launchpadName,
  parsePpa,
  ppaReference,
  readPpa,
  type Ppa,
} from './ppa.ts';

/** A PPA, or the primary archive of a distribution, which has no owner. */
export type Archive = Ppa | { distribution: string };

/** The parts of a series in a primary archive (Launchpad's `PackagePublishingPocket`); a PPA has Release alone. */
export const POCKETS = ['Release', 'Security', 'Updates', 'Proposed', 'Backports'] as const;

export type Pocket = (typeof POCKETS)[number];

const PRIMARY = new RegExp(`^${LAUNCHPAD_NAME}$`);

/**
 * Reads Launchpad's archive reference: `~owner/ubuntu/name` of a PPA, `ubuntu` of a primary archive.
 *
 * @returns undefined where the text has neither form
 */
export function parseArchive(reference: string): Archive | undefined {
  if (PRIMARY.test(reference)) return { distribution: reference };
  return reference.startsWith('~') ? parsePpa(reference, '') : undefined;
}

/** What is said to whoever gives a text that `readArchive` does not read. */
export const INVALID_ARCHIVE = `${INVALID_PPA.slice(0, -1)}; or the name of a distribution, for its primary archive.`;

/**
 * Reads an archive as people write it: a PPA in any form that `readPpa` reads, or the name of a distribution.
 *
 * @param distribution that of a PPA whose text names none (default: Ubuntu)
 * @returns undefined where the text is neither
 */
export function readArchive(text: string, distribution?: string): Archive | undefined {
  return readPpa(text, distribution) ?? parseArchive(launchpadName(text));
}

/** Writes an archive as `parseArchive` reads it. */
export function archiveReference(archive: Archive): string {
  return isPpa(archive) ? ppaReference(archive) : archive.distribution;
}

/** Whether an archive is a PPA, not the primary archive of a distribution. */
export function isPpa(archive: Archive): archive is Ppa {
  return 'owner' in archive;
}

/** The pocket that is published in where nobody names one. */
export function usualPocket(archive: Archive): Pocket {
  return isPpa(archive) ? 'Release' : 'Proposed';
}

/** The name that apt knows a series and pocket by: `noble`, `noble-proposed`. */
export function suiteOf(series: string, pocket: Pocket): string {
  return pocket === 'Release' ? series : `${series}-${pocket.toLowerCase()}`;
}
