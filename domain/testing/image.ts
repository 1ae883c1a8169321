/** A base image is made of the archive alone and then never changed; a landing's has the packages of its PPA on top. */
export const IMAGE_KINDS = ['base', 'landing'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** tar, packed with zstd, in which tests run; and beside it squashfs, which can be mounted and booted from. */
export const IMAGE_FORMATS = ['tar', 'squashfs'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** What an image is made for. */
export type ImagePlace = { distribution: string; series: string; architecture: string };

/** A package that is installed in an image or a test bed. */
export type InstalledPackage = { name: string; version: string };
