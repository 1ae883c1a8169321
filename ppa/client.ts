import type { Archive as AnyArchive } from '../domain/packages/archive.ts';
import type { Ppa } from '../domain/packages/ppa.ts';
import type { PackageVersion } from '../domain/packages/source-file.ts';
import { openAccounts, type Accounts } from './accounts.ts';
import { archiveUrl, seriesUrl } from './addresses.ts';
import { openArchives, type Archives } from './archives.ts';
import { keyserverOf } from './keyserver.ts';
import {
  openWebService,
  PpaAnswerError,
  setOperation,
  unlessMissing,
  unlessMissingInArchive,
  type WebServiceOptions,
} from './web-service.ts';
import {
  ARCHITECTURE,
  ARCHIVE,
  BINARY_FILES,
  BINARY_PUBLICATION,
  BUILD,
  SERIES,
  SOURCE_FILES,
  SOURCE_PUBLICATION,
  isLive,
  type Architecture,
  type Archive,
  type BinaryFile,
  type BinaryPublication,
  type Build,
  type PublishedFile,
  type Series,
  type SourcePublication,
} from './wire.ts';

/** The part of Launchpad's web service that builds and landings need. Names are Launchpad's own. */
export type PpaClient = Accounts &
  Archives & {
    /** The PPA; undefined where there is none, or where our account may not see it. */
    getArchive(ppa: Ppa): Promise<Archive | undefined>;
    /** A series of a distribution; undefined where there is none. */
    getSeries(distribution: string, name: string): Promise<Series | undefined>;
    /** The architectures of a series; undefined where it names no such list. */
    getArchitectures(series: Series): Promise<Architecture[] | undefined>;
    /**
     * Publications of a source in one series, of all versions that are Pending or Published; none if the archive does
     * not exist.
     */
    getLiveSources(
      archive: AnyArchive,
      series: string,
      source: string,
    ): Promise<SourcePublication[]>;
    /** Publications of exactly this source and version in any series and status; none if the archive does not exist. */
    getPublishedSources(archive: AnyArchive, source: PackageVersion): Promise<SourcePublication[]>;
    /** Publications of a source in a PPA, of all versions, in any series and status; none if the PPA does not exist. */
    getSourceHistory(ppa: Ppa, source: string): Promise<SourcePublication[]>;
    /** The latest 300 publications of a source in an archive, as getSourceHistory. */
    getLatestSources(archive: AnyArchive, source: string): Promise<SourcePublication[]>;
    /** Publications of a PPA since a time, in any series and status, read once; none if the PPA does not exist. */
    getSourcesSince(ppa: Ppa, since: Date): Promise<SourcePublication[]>;
    /** The builds of a PPA in one of Launchpad's build states, read once; none if the PPA does not exist. */
    getBuildRecords(ppa: Ppa, buildState: string): Promise<Build[]>;
    /** The builds of a publication, one for each architecture. */
    getBuilds(publicationLink: string): Promise<Build[]>;
    /** What the builds of a publication made, in any status. */
    getPublishedBinaries(publicationLink: string): Promise<BinaryPublication[]>;
    /** The files of a publication, with their sizes and checksums. */
    sourceFileUrls(publicationLink: string): Promise<PublishedFile[]>;
    /** The file of a package's publication, with its size and checksums. */
    binaryFileUrls(publicationLink: string): Promise<BinaryFile[]>;
    getBuild(buildLink: string): Promise<Build>;
    /**
     * Asks to cancel a build. Launchpad ignores it, with 200, where the build cannot be cancelled.
     *
     * @param signal where it is aborted before this is sent, nothing is, and its reason is thrown
     */
    cancel(buildLink: string, signal?: AbortSignal): Promise<void>;
    /** Asks to retry a build. False where Launchpad says that it cannot be retried. */
    retry(buildLink: string): Promise<boolean>;
  };

/**
 * A client of Launchpad's web service.
 *
 * @param options.keyserverUrl where the PPA takes public keys from, where that is not known by the web service's
 * address
 * @throws from every method: PpaUnavailableError where a later try may help, else PpaAnswerError
 */
export function createPpaClient(
  options: WebServiceOptions & { keyserverUrl?: string | undefined },
): PpaClient {
  const service = openWebService(options);
  const { root, call, read, readAll, readOnce, readFirst } = service;
  const { keyserverUrl = keyserverOf(options.rootUrl), timeoutMs, logger } = options;

  async function publishedSources(
    archive: AnyArchive,
    filters: Record<string, unknown>,
    readCollection = readAll,
  ): Promise<SourcePublication[]> {
    const url = archiveUrl(root, archive);
    setOperation(url, 'getPublishedSources', { ...filters, exact_match: true });
    return (await unlessMissingInArchive(readCollection(url, SOURCE_PUBLICATION))) ?? [];
  }

  return {
    ...openAccounts(service, { keyserverUrl, timeoutMs, logger }),
    ...openArchives(service),
    getArchive: (ppa) => unlessMissingInArchive(read(archiveUrl(root, ppa), ARCHIVE)),
    getSeries: (distribution, name) =>
      unlessMissing(read(seriesUrl(root, distribution, name), SERIES)),
    getArchitectures: async ({ architectures_collection_link: link }) =>
      link ? readAll(new URL(link), ARCHITECTURE) : undefined,
    async getLiveSources(archive, series, source) {
      const all = await publishedSources(archive, {
        source_name: source,
        distro_series: seriesUrl(root, archive.distribution, series).href,
      });
      return all.filter(({ status }) => isLive(status));
    },
    getPublishedSources: (archive, { source, version }) =>
      publishedSources(archive, { source_name: source, version }),
    // Of all there is, none leaves the collection while it is read.
    getSourceHistory: (ppa, source) => publishedSources(ppa, { source_name: source }, readOnce),
    getLatestSources: (archive, source) =>
      publishedSources(archive, { source_name: source, order_by_date: true }, readFirst),
    async getSourcesSince(ppa, since) {
      const url = archiveUrl(root, ppa);
      setOperation(url, 'getPublishedSources', { created_since_date: since.toISOString() });
      return (await unlessMissingInArchive(readOnce(url, SOURCE_PUBLICATION))) ?? [];
    },
    async getBuildRecords(ppa, buildState) {
      const url = archiveUrl(root, ppa);
      setOperation(url, 'getBuildRecords', {});
      // A choice, which is not JSON.
      url.searchParams.set('build_state', buildState);
      return (await unlessMissingInArchive(readOnce(url, BUILD))) ?? [];
    },
    async getBuilds(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'getBuilds', {});
      return readAll(url, BUILD);
    },
    async getPublishedBinaries(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'getPublishedBinaries', { active_binaries_only: false });
      return readAll(url, BINARY_PUBLICATION);
    },
    async sourceFileUrls(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'sourceFileUrls', { include_meta: true });
      return read(url, SOURCE_FILES);
    },
    async binaryFileUrls(publicationLink) {
      const url = new URL(publicationLink);
      setOperation(url, 'binaryFileUrls', { include_meta: true });
      return read(url, BINARY_FILES);
    },
    getBuild: (buildLink) => read(new URL(buildLink), BUILD),
    async cancel(buildLink, signal) {
      await call('POST', new URL(buildLink), new URLSearchParams({ 'ws.op': 'cancel' }), signal);
    },
    async retry(buildLink) {
      try {
        await call('POST', new URL(buildLink), new URLSearchParams({ 'ws.op': 'retry' }));
        return true;
      } catch (error) {
        if (error instanceof PpaAnswerError && error.status === 400) return false;
        throw error;
      }
    },
  };
}
