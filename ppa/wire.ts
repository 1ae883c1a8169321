import { z } from 'zod';
import { fileNameOfUrl } from '../domain/packages/source-file.ts';

// What is taken over into messages has a bound.
const MAX_NAME_LENGTH = 255;
const MAX_URL_LENGTH = 2_048;

/** A page of a collection (lazr.restful). */
export const COLLECTION = z.object({
  entries: z.array(z.unknown()).max(1_000),
  next_collection_link: z.string().nullish(),
});

/** `source_package_publishing_history`: one publication of a source in an archive. */
export const SOURCE_PUBLICATION = z.object({
  self_link: z.string(),
  source_package_name: z.string(),
  source_package_version: z.string(),
  status: z.string(),
  distro_series_link: z.string(),
  pocket: z.string().nullish(),
  date_created: z.string().nullish(),
  date_published: z.string().nullish(),
});
export type SourcePublication = z.infer<typeof SOURCE_PUBLICATION>;

/** The series that a publication is in. */
export function seriesOf({ distro_series_link: link }: SourcePublication): string {
  return fileNameOfUrl(link);
}

/** Whether a publication of this status is in its archive, or about to be. */
export function isLive(status: string): boolean {
  return LIVE_STATUSES.some((live) => live === status);
}

/** Launchpad's statuses of what is in an archive, or about to be. */
export const LIVE_STATUSES = ['Pending', 'Published'] as const;

/** `package_upload`: what is, or was, in the queue of a series until somebody decided. */
export const PACKAGE_UPLOAD = z.object({
  self_link: z.string(),
  status: z.string(),
  contains_copy: z.boolean().nullish(),
  copy_source_archive_link: z.string().nullish(),
});
export type PackageUpload = z.infer<typeof PACKAGE_UPLOAD>;

/** What stands in place of a value that our account may not see (lazr.restful). */
const REDACTED = 'tag:launchpad.net:2008:redacted';

const VISIBLE_ARCHIVE = z.object({
  /** The title of one of Launchpad's `ArchiveStatus` (lib/lp/soyuz/enums.py). A PPA that is disabled is Active, too. */
  status: z.string().nullish(),
  private: z.boolean().nullish(),
  signing_key_fingerprint: z.string().nullish(),
  permit_obsolete_series_uploads: z.boolean().nullish(),
});
export type Archive = z.infer<typeof VISIBLE_ARCHIVE>;

/**
 * `archive`: a PPA. Undefined is for one that our account may not see: Launchpad answers with what little of it is
 * public (`IArchivePublic` in lib/lp/soyuz/interfaces/archive.py), and no more can be asked of it.
 */
export const ARCHIVE = z.union([
  z.object({ status: z.literal(REDACTED) }).transform(() => undefined),
  VISIBLE_ARCHIVE,
]);

/** Whether a PPA was deleted: its owner still sees it, and nothing is uploaded to it or built in it any more. */
export function isDeleted({ status }: Archive): boolean {
  return status === 'Deleting' || status === 'Deleted';
}

/** `distro_series`: one series of a distribution. */
export const SERIES = z.object({
  name: z.string(),
  /** The title of one of Launchpad's `SeriesStatus` (lib/lp/registry/interfaces/series.py). */
  status: z.string(),
  architectures_collection_link: z.string().nullish(),
});
export type Series = z.infer<typeof SERIES>;

/** `distro_arch_series`: one architecture of a series. */
export const ARCHITECTURE = z.object({ self_link: z.string() });
export type Architecture = z.infer<typeof ARCHITECTURE>;

/** `build`: one architecture's build of a source. */
export const BUILD = z.object({
  self_link: z.string(),
  web_link: z.string(),
  arch_tag: z.string(),
  buildstate: z.string(),
  source_package_name: z.string(),
  source_package_version: z.string(),
  build_log_url: z.string().nullish(),
  upload_log_url: z.string().nullish(),
  dependencies: z.string().nullish(),
  can_be_cancelled: z.boolean(),
  can_be_retried: z.boolean(),
  datecreated: z.string().nullish(),
  date_started: z.string().nullish(),
  datebuilt: z.string().nullish(),
});
export type Build = z.infer<typeof BUILD>;

/** `binary_package_publishing_history`: one package that a build made, in an archive. */
export const BINARY_PUBLICATION = z.object({
  self_link: z.string(),
  binary_package_name: z.string().max(MAX_NAME_LENGTH),
  binary_package_version: z.string().max(MAX_NAME_LENGTH),
  source_package_name: z.string().max(MAX_NAME_LENGTH).nullish(),
  source_package_version: z.string().max(MAX_NAME_LENGTH).nullish(),
  architecture_specific: z.boolean(),
  section_name: z.string().nullish(),
  is_debug: z.boolean().nullish(),
  distro_arch_series_link: z.string(),
  status: z.string(),
  date_published: z.string().nullish(),
  build_link: z.string().nullish(),
});
export type BinaryPublication = z.infer<typeof BINARY_PUBLICATION>;

/** The architecture that a package is for: `all` where it is for each. */
export function architectureOf({
  architecture_specific: isSpecific,
  distro_arch_series_link: link,
}: BinaryPublication): string {
  return isSpecific ? fileNameOfUrl(link) : 'all';
}

/**
 * Publications of packages without those that are over where the same package, of the same build, is live in the same
 * place: what was deleted and copied back, or got another section, has a publication for each time, and Launchpad gives
 * all of them (`getBinaryPublicationsForSources` in lib/lp/soyuz/model/publishing.py).
 */
export function withoutReplaced(all: readonly BinaryPublication[]): BinaryPublication[] {
  const keyOf = ({
    build_link: build,
    binary_package_name: name,
    distro_arch_series_link: place,
  }: BinaryPublication) => `${build} ${name} ${place}`;
  const live = new Set(all.filter(({ status }) => isLive(status)).map(keyOf));
  return all.filter((one) => isLive(one.status) || !live.has(keyOf(one)));
}

/** What `sourceFileUrls` gives of each file with `include_meta=true`. */
export const SOURCE_FILES = z.array(
  z.object({ url: z.string(), size: z.number(), sha256: z.string() }),
);
/** What `binaryFileUrls` of one package's publication gives with `include_meta=true`. */
export const BINARY_FILES = z.array(
  z.object({
    url: z.string().max(MAX_URL_LENGTH),
    size: z.number().nullish(),
    sha256: z.string().max(MAX_NAME_LENGTH).nullish(),
  }),
);
export type BinaryFile = z.infer<typeof BINARY_FILES>[number];

export type PublishedFile = z.infer<typeof SOURCE_FILES>[number];

/** `person` or `team`: an account. */
export const PERSON = z.object({
  self_link: z.string(),
  name: z.string(),
  is_team: z.boolean(),
  gpg_keys_collection_link: z.string(),
  participants_collection_link: z.string(),
});
export type Person = z.infer<typeof PERSON>;

/** `gpg_key`: a key that an account has registered, and not deactivated since. */
export const GPG_KEY = z.object({ self_link: z.string(), fingerprint: z.string() });

/** `archive_permission`: one that the owner of an archive has given. */
export const ARCHIVE_PERMISSION = z.object({ self_link: z.string(), person_link: z.string() });
