import { archiveReference, POCKETS } from '../../domain/packages/archive.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import { QUEUE_STATUSES } from '../archive/records.ts';
import type { Entries } from './entries.ts';
import type { ArchiveFinder } from './find-archive.ts';
import { BadRequest } from './parameters.ts';
import { entryResource, page, type Resource, type ResourceRequest } from './resource.ts';

/** A series, and the queue of what is held there. */
export function createSeriesResource({
  state,
  entries,
  architectures,
  findArchive,
}: {
  state: ArchiveState;
  entries: Entries;
  architectures: readonly string[];
  findArchive: ArchiveFinder;
}): (distribution: string, series: string) => Resource {
  /**
   * Copies that were held alone: what is uploaded to a PPA, or built there, is published at once here, while Launchpad
   * has what was built as Accepted for a minute or some. Without `archive` it is of the primary archive.
   */
  const getPackageUploads = (
    distribution: string,
    series: string,
    request: ResourceRequest,
  ): unknown => {
    const { parameters } = request;
    const link = parameters.link('archive')?.join('/');
    const archive = link === undefined ? { distribution } : findArchive.at(link);
    if (!archive) throw new BadRequest(`archive: No such object "${link}".`);
    const status = parameters.choice('status', QUEUE_STATUSES);
    const pocket = parameters.choice('pocket', POCKETS);
    const name = parameters.text('name');
    const version = parameters.text('version');
    const isExact = parameters.flag('exact_match');
    const since = parameters.date('created_since_date')?.getTime() ?? 0;
    const matches = (text: string, wanted: string | undefined) =>
      wanted === undefined || (isExact ? text === wanted : text.includes(wanted));
    const held = state
      .copies(archiveReference(archive))
      .filter(
        (copy) =>
          copy.queueStatus !== null &&
          copy.series === series &&
          (status === undefined || copy.queueStatus === status) &&
          (pocket === undefined || copy.pocket === pocket) &&
          matches(copy.source, name) &&
          matches(copy.version, version) &&
          Date.parse(copy.createdAt) >= since,
      );
    return page(request, held.toReversed(), entries.packageUpload);
  };

  return (distribution, series) =>
    entryResource(() => entries.series(distribution, series), {
      getDistroArchSeries: ({ parameters }) => {
        const tag = parameters.requiredText('archtag');
        return architectures.includes(tag)
          ? entries.architecture(distribution, series, tag)
          : undefined;
      },
      getPackageUploads: (request) => getPackageUploads(distribution, series, request),
    });
}
