import type { Ppa } from '../packages/ppa.ts';

/** Most packages that a message and a build's row name; those that come first by name. */
export const MAX_BUILT_PACKAGES = 250;

/** A binary package that a build made, as messages and the build resource show it. */
export type BuiltPackage = {
  name: string;
  /** The source package that it is built from; what was recorded before it was kept lacks it. */
  source?: string;
  version: string;
  /** `all`, or the architecture that it was built for. */
  architecture: string;
  /** Where its file is; like size and checksum null where the PPA's web service does not say. */
  url: string | null;
  /** In bytes. */
  size: number | null;
  sha256: string | null;
  /** When the PPA published it, RFC 3339 in UTC; only where it had when the build ended. */
  published_at?: string;
};

/** What a build has made that has ended, as far as the PPA showed it when the build ended. */
export type ListedPackages = {
  packages: BuiltPackage[];
  /** A line for apt's `sources.list`; null where the PPA is private, or its web service did not answer. */
  apt: string | null;
  /** The data store's URLs of the lists of it, one for each source package. */
  lists: string[];
};

const FINGERPRINT = /^[0-9A-F]{40}$/i;

/**
 * The address of a PPA's apt repository, in Launchpad's public layout.
 *
 * @param root address of all PPAs' repositories
 */
export function ppaRepository(root: string, { owner, name, distribution }: Ppa): string {
  return `${root.replace(/\/$/, '')}/${owner}/${name}/${distribution}`;
}

/**
 * The line of `sources.list` for a PPA.
 *
 * @param options.root address of all PPAs' repositories
 * @param options.fingerprint of the PPA's key; apt then takes packages of the PPA that are signed by this key alone
 */
export function aptSource(
  ppa: Ppa,
  series: string,
  { root, fingerprint }: { root: string; fingerprint: string | null },
): string {
  const signedBy =
    fingerprint !== null && FINGERPRINT.test(fingerprint) ? ` [signed-by=${fingerprint}]` : '';
  return `deb${signedBy} ${ppaRepository(root, ppa)} ${series} main`;
}
