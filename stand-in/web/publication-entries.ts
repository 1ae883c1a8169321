import { archiveOf } from '../archive/layout.ts';
import {
  canBeCancelled,
  canBeRetried,
  type BinaryPublication,
  type Build,
  type Copy,
  type SourcePublication,
} from '../archive/records.ts';
import type { EntryMaker } from './entry-maker.ts';

/** Makes the entries of what an archive holds: publications, builds, and the addresses of their files. */
export function createPublicationEntries(
  { webUrl, apiUrl, entry, archivePath, archiveLink, seriesLink }: EntryMaker,
  nominatedArchitecture: string,
) {
  const buildFileUrl = (build: Build, file: string | null) =>
    file === null
      ? null
      : `${webUrl}/${archivePath(build.archive)}/+build/${build.id}/+files/${encodeURIComponent(file)}`;
  const binaryArchitecture = ({ architecture }: BinaryPublication) =>
    architecture === 'all' ? nominatedArchitecture : architecture;

  return {
    source: (one: SourcePublication) =>
      entry(
        'source_package_publishing_history',
        `${archivePath(one.archive)}/+sourcepub/${one.id}`,
        {
          source_package_name: one.source,
          source_package_version: one.version,
          display_name: `${one.source} ${one.version} in ${one.series}`,
          component_name: one.component,
          section_name: one.section,
          status: one.status,
          pocket: one.pocket,
          date_created: one.createdAt,
          date_published: one.publishedAt,
          date_superseded: one.supersededAt,
          date_made_pending: null,
          date_removed: one.removedAt,
          removal_comment: one.removalComment,
          archive_link: archiveLink(one.archive),
          distro_series_link: seriesLink(one.archive, one.series),
        },
      ),
    /** @param build the build that made it, perhaps in another archive */
    binary: (one: BinaryPublication, build: Build | undefined) =>
      entry(
        'binary_package_publishing_history',
        `${archivePath(one.archive)}/+binarypub/${one.id}`,
        {
          binary_package_name: one.name,
          binary_package_version: one.version,
          source_package_name: one.source,
          source_package_version: build?.version ?? one.version,
          display_name: `${one.name} ${one.version} in ${one.series} ${binaryArchitecture(one)}`,
          component_name: one.component,
          section_name: one.section,
          architecture_specific: one.architecture !== 'all',
          status: one.status,
          pocket: one.pocket,
          date_created: one.createdAt,
          date_published: one.publishedAt,
          date_superseded: one.supersededAt,
          date_made_pending: null,
          date_removed: one.removedAt,
          archive_link: archiveLink(one.archive),
          distro_arch_series_link: `${seriesLink(one.archive, one.series)}/${binaryArchitecture(one)}`,
          build_link: `${archiveLink(build?.archive ?? one.archive)}/+build/${one.buildId}`,
        },
      ),
    build: (one: Build) => {
      const { distribution } = archiveOf(one.archive);
      return entry('build', `${archivePath(one.archive)}/+build/${one.id}`, {
        arch_tag: one.architecture,
        buildstate: one.state,
        title: `${one.architecture} build of ${one.source} ${one.version} in ${distribution} ${one.series} ${one.pocket.toUpperCase()}`,
        source_package_name: one.source,
        source_package_version: one.version,
        pocket: one.pocket,
        build_log_url: buildFileUrl(one, one.log),
        upload_log_url: buildFileUrl(one, one.uploadLog),
        changesfile_url: buildFileUrl(one, one.changes),
        buildinfo_url: buildFileUrl(one, one.buildinfo),
        datecreated: one.createdAt,
        date_first_dispatched: one.firstDispatchedAt,
        date_started: one.startedAt,
        datebuilt: one.builtAt,
        duration: duration(one.startedAt, one.builtAt),
        dependencies: one.dependencies,
        external_dependencies: null,
        score: null,
        can_be_cancelled: canBeCancelled(one),
        can_be_retried: canBeRetried(one),
        can_be_rescored: false,
        builder_link: null,
        distribution_link: `${apiUrl}/${distribution}`,
        current_source_publication_link: `${archiveLink(one.archive)}/+sourcepub/${one.sourceId}`,
        archive_link: archiveLink(one.archive),
        distro_series_link: seriesLink(one.archive, one.series),
      });
    },
    packageUpload: (one: Copy) =>
      entry(
        'package_upload',
        `${archiveOf(one.archive).distribution}/${one.series}/+upload/${one.id}`,
        {
          id: one.id,
          status: one.queueStatus,
          pocket: one.pocket,
          date_created: one.createdAt,
          display_name: one.source,
          display_version: one.version,
          display_arches: 'sync',
          package_name: one.source,
          package_version: one.version,
          component_name: 'main',
          section_name: 'misc',
          contains_source: false,
          contains_build: false,
          contains_copy: true,
          changes_file_url: null,
          archive_link: archiveLink(one.archive),
          distroseries_link: seriesLink(one.archive, one.series),
          copy_source_archive_link: archiveLink(one.fromArchive),
        },
      ),
    sourceFileUrl: (one: SourcePublication, file: string) =>
      `${webUrl}/${archivePath(one.archive)}/+sourcefiles/${one.source}/${encodeURIComponent(one.version)}/${encodeURIComponent(file)}`,
    changesFileUrl: (one: SourcePublication) =>
      `${webUrl}/${archivePath(one.archive)}/+files/${encodeURIComponent(one.changes.name)}`,
    binaryFileUrl: (one: BinaryPublication) =>
      `${webUrl}/${archivePath(one.archive)}/+files/${encodeURIComponent(one.file.name)}`,
  };
}

/** A duration as Python prints it, `0:01:20.500000`; null where one of the times is unknown. */
function duration(from: string | null, to: string | null): string | null {
  if (from === null || to === null) return null;
  const milliseconds = Math.max(0, Date.parse(to) - Date.parse(from));
  const seconds = Math.floor(milliseconds / 1_000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(milliseconds % 1_000).padStart(3, '0')}000`;
}
