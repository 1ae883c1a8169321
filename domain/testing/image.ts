import { acceptedPpa, type Ppa } from '../packages/ppa.ts';

/** A base image is made of archives alone and then never changed; a landing's has the packages of its PPA on top. */
export const IMAGE_KINDS = ['base', 'landing'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** tar, packed with zstd, in which tests run; and beside it squashfs, which can be mounted and booted from. */
export const IMAGE_FORMATS = ['tar', 'squashfs'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** What an image is made for. */
export type ImagePlace = {
  distribution: string;
  series: string;
  architecture: string;
  /**
   * The PPA, as `ppaReference` writes it, that its packages come from besides the mirrors: the target of landings.
   * Without one it is the mirrors alone.
   */
  target?: string | null;
};

/** The PPA that the target of a place names. */
export function targetPpa(target: string): Ppa {
  return acceptedPpa({ ppa: target, archive: '' });
}

/** Names a place in a path, such as `ubuntu-noble-amd64`, or `ubuntu-noble-amd64_team_ubuntu_landed` with a target. */
export function placeName({ distribution, series, architecture, target }: ImagePlace): string {
  const name = `${distribution}-${series}-${architecture}`;
  // No name on Launchpad has an underscore: two places have two names.
  return target ? `${name}_${target.slice(1).replaceAll('/', '_')}` : name;
}

/** A package that is installed in an image or a test bed. */
export type InstalledPackage = { name: string; version: string };
