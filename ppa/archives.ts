import type { z } from 'zod';
import type { Archive, Pocket } from '../domain/packages/archive.ts';
import { archiveUrl, seriesUrl } from './addresses.ts';
import {
  PpaAnswerError,
  setOperation,
  unlessMissing,
  unlessMissingInArchive,
  type WebService,
} from './web-service.ts';
import {
  BINARY_PUBLICATION,
  PACKAGE_UPLOAD,
  SOURCE_PUBLICATION,
  type BinaryPublication,
  type PackageUpload,
  type SourcePublication,
} from './wire.ts';

/** One version of a source package in one pocket of one series of an archive. */
export type PlacedSource = {
  archive: Archive;
  series: string;
  pocket: Pocket;
  source: string;
  version: string;
};

/** Why Launchpad does not do what it was asked for, in its own words where it says any. */
type Refusal = { said: string };

/** What takes a tested source from its PPA to an archive. */
export type Archives = {
  /**
   * Asks to copy a source, with its packages, into another archive. Launchpad looks at no more than permissions before
   * it answers. Whatever it finds later is told to nobody, so the caller has to look whether the publication appears.
   *
   * @param from the archive that has it, in any series
   * @param signal where it is aborted before this is sent, nothing is, and its reason is thrown
   * @returns undefined where Launchpad has taken the request
   */
  copyPackage(to: PlacedSource, from: Archive, signal?: AbortSignal): Promise<Refusal | undefined>;
  /** All publications of sources in an archive that have a status; none where it does not exist. */
  listSources(archive: Archive, status: string): Promise<SourcePublication[]>;
  /** All publications of packages in an archive that have a status; none where it does not exist. */
  listBinaries(archive: Archive, status: string): Promise<BinaryPublication[]>;
  /** The latest publication of a source in exactly this place, in any status; undefined where there is none. */
  publishedSource(place: PlacedSource): Promise<SourcePublication | undefined>;
  /**
   * Copies of a source to a place that somebody has to approve, the latest first. Unapproved and New wait; Accepted and
   * Done were let in; Rejected were not. Uploads of the same source, and what builds there have made, are left out.
   */
  heldUploads(place: PlacedSource): Promise<PackageUpload[]>;
  /**
   * What a series of an archive has let in and not published yet. The packages that a build made are there when the
   * build is Successfully built already, and become publications a minute or some later, even where their source was
   * deleted meanwhile (`PackageUpload.realiseUpload` in lib/lp/soyuz/model/queue.py).
   */
  acceptedUploads(archive: Archive, series: string): Promise<PackageUpload[]>;
  /**
   * Deletes a source, with its packages, or one package from its archive and series. The version of a source can never
   * be uploaded there again. A debug package goes with the package that it is of, and is refused by itself.
   *
   * @returns undefined where it is deleted
   */
  deletePublication(publicationLink: string, comment: string): Promise<Refusal | undefined>;
};

/**
 * Opens what can be asked of archives, and what can be changed in them.
 *
 * @throws from every method: PpaUnavailableError where a later try may help, else PpaAnswerError
 */
export function openArchives({ root, call, readAll }: WebService): Archives {
  async function listPublications<Publication extends { self_link: string }>(
    archive: Archive,
    operation: string,
    status: string,
    schema: z.ZodType<Publication>,
  ): Promise<Publication[]> {
    const url = archiveUrl(root, archive);
    setOperation(url, operation, {});
    // A choice, which is not JSON.
    url.searchParams.set('status', status);
    return (await unlessMissingInArchive(readAll(url, schema))) ?? [];
  }

  return {
    async copyPackage({ archive, series, pocket, source, version }, from, signal) {
      const body = formOf('copyPackage', {
        source_name: source,
        version,
        from_archive: archiveUrl(root, from).href,
        to_pocket: pocket,
        to_series: series,
        include_binaries: true,
      });
      return refusalOf(call('POST', archiveUrl(root, archive), body, signal));
    },
    listSources: (archive, status) =>
      listPublications(archive, 'getPublishedSources', status, SOURCE_PUBLICATION),
    listBinaries: (archive, status) =>
      listPublications(archive, 'getPublishedBinaries', status, BINARY_PUBLICATION),
    async publishedSource({ archive, series, pocket, source, version }) {
      const url = archiveUrl(root, archive);
      setOperation(url, 'getPublishedSources', {
        source_name: source,
        version,
        exact_match: true,
        distro_series: seriesUrl(root, archive.distribution, series).href,
        order_by_date: true,
      });
      // A choice, which is not JSON.
      url.searchParams.set('pocket', pocket);
      const all = await unlessMissingInArchive(readAll(url, SOURCE_PUBLICATION));
      return all?.[0];
    },
    async heldUploads({ archive, series, pocket, source, version }) {
      const url = seriesUrl(root, archive.distribution, series);
      setOperation(url, 'getPackageUploads', {
        archive: archiveUrl(root, archive).href,
        name: source,
        version,
        exact_match: true,
      });
      url.searchParams.set('pocket', pocket);
      const uploads = await readAll(url, PACKAGE_UPLOAD);
      return uploads.filter(({ contains_copy: isCopy }) => isCopy !== false);
    },
    async acceptedUploads(archive, series) {
      const url = seriesUrl(root, archive.distribution, series);
      setOperation(url, 'getPackageUploads', { archive: archiveUrl(root, archive).href });
      // A choice, which is not JSON.
      url.searchParams.set('status', 'Accepted');
      return (await unlessMissing(readAll(url, PACKAGE_UPLOAD))) ?? [];
    },
    async deletePublication(publicationLink, comment) {
      const body = formOf('requestDeletion', { removal_comment: comment });
      return refusalOf(call('POST', new URL(publicationLink), body));
    },
  };
}

function formOf(operation: string, parameters: Record<string, unknown>): URLSearchParams {
  const url = new URL('http://form.invalid/');
  setOperation(url, operation, parameters);
  return url.searchParams;
}

const REFUSALS = [400, 401, 403, 404, 410];

/**
 * Launchpad says most of it with 400 and a text (`CannotCopy`, `DeletionError`), whatever the reason is. A redirect of
 * an archive has none.
 */
async function refusalOf(answer: Promise<string>): Promise<Refusal | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    if (!(error instanceof PpaAnswerError)) throw error;
    if (error.isRedirectOfArchive) return { said: 'there is no such archive' };
    if (REFUSALS.includes(error.status)) return { said: error.said };
    throw error;
  }
}
