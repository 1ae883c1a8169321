import { createHash } from 'node:crypto';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import type { Account } from '../archive/accounts.ts';
import { ppaOf } from '../archive/layout.ts';
import {
  canBeCancelled,
  canBeRetried,
  type BinaryPublication,
  type Build,
  type SourcePublication,
} from '../archive/records.ts';
import type { EntryTypeName } from './wadl.ts';

/** A resource of the web service, as it is sent. */
export type Entry = Record<string, unknown> & { http_etag: string };

/** Makes entries of Launchpad's web service out of records, with absolute links. */
export type Entries = ReturnType<typeof createEntries>;

export type EntryContext = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  signingKeyFingerprint: string;
  /** The architecture that also builds what is for `all`. */
  nominatedArchitecture: string;
};

export function createEntries({
  webUrl,
  signingKeyFingerprint,
  nominatedArchitecture,
}: EntryContext) {
  const apiUrl = `${webUrl}/devel`;
  const ppaPath = ({ owner, distribution, name }: Ppa) =>
    `~${owner}/+archive/${distribution}/${name}`;
  const archivePath = (archive: string) => ppaPath(ppaOf(archive));
  const entry = (type: EntryTypeName, path: string, fields: Record<string, unknown>): Entry => {
    const content = {
      self_link: `${apiUrl}/${path}`,
      web_link: `${webUrl}/${path}`,
      resource_type_link: `${apiUrl}/#${type}`,
      ...fields,
    };
    const digest = createHash('sha1').update(JSON.stringify(content)).digest('hex');
    // Launchpad's form is "<read-only fields>-<writable fields>"; nothing is writable here.
    return { ...content, http_etag: `"${digest}-${WRITABLE_DIGEST}"` };
  };
  const links = (archive: string, series: string) => {
    const { distribution } = ppaOf(archive);
    return {
      archive_link: `${apiUrl}/${archivePath(archive)}`,
      distro_series_link: `${apiUrl}/${distribution}/${series}`,
    };
  };
  const buildFileUrl = (build: Build, file: string | null) =>
    file === null
      ? null
      : `${webUrl}/${archivePath(build.archive)}/+build/${build.id}/+files/${encodeURIComponent(file)}`;
  const binaryArchitecture = ({ architecture }: BinaryPublication) =>
    architecture === 'all' ? nominatedArchitecture : architecture;

  return {
    person: ({ name, members }: Account) =>
      entry(members ? 'team' : 'person', `~${name}`, {
        name,
        display_name: name,
        is_team: members !== undefined,
        ppas_collection_link: `${apiUrl}/~${name}/ppas`,
        gpg_keys_collection_link: `${apiUrl}/~${name}/gpg_keys`,
        participants_collection_link: `${apiUrl}/~${name}/participants`,
      }),
    gpgKey: (name: string, fingerprint: string) =>
      entry('gpg_key', `~${name}/+gpg-keys/${fingerprint}`, {
        fingerprint,
        keyid: fingerprint.slice(-8),
      }),
    permission: (ppa: Ppa, name: string) =>
      entry('archive_permission', `${ppaPath(ppa)}/+upload/${name}`, {
        archive_link: `${apiUrl}/${ppaPath(ppa)}`,
        component_name: 'main',
        permission: 'Archive Upload Rights',
        person_link: `${apiUrl}/~${name}`,
      }),
    distribution: (name: string) =>
      entry('distribution', name, {
        name,
        display_name: name,
        series_collection_link: `${apiUrl}/${name}/series`,
      }),
    series: (distribution: string, name: string) =>
      entry('distro_series', `${distribution}/${name}`, {
        name,
        displayname: name,
        active: true,
        distribution_link: `${apiUrl}/${distribution}`,
      }),
    architecture: (distribution: string, series: string, architecture: string) =>
      entry('distro_arch_series', `${distribution}/${series}/${architecture}`, {
        architecture_tag: architecture,
        display_name: `${distribution} ${series} ${architecture}`,
        distroseries_link: `${apiUrl}/${distribution}/${series}`,
      }),
    archive: (ppa: Ppa) =>
      entry('archive', ppaPath(ppa), {
        name: ppa.name,
        displayname: `${ppa.name} of ${ppa.owner}`,
        reference: ppaReference(ppa),
        private: false,
        publish: true,
        signing_key_fingerprint: signingKeyFingerprint,
        owner_link: `${apiUrl}/~${ppa.owner}`,
        distribution_link: `${apiUrl}/${ppa.distribution}`,
      }),
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
          pocket: 'Release',
          date_created: one.createdAt,
          date_published: one.publishedAt,
          date_superseded: one.supersededAt,
          date_made_pending: null,
          date_removed: null,
          removal_comment: null,
          ...links(one.archive, one.series),
        },
      ),
    binary: (one: BinaryPublication, sourceVersion: string) => {
      const { archive_link, distro_series_link } = links(one.archive, one.series);
      return entry(
        'binary_package_publishing_history',
        `${archivePath(one.archive)}/+binarypub/${one.id}`,
        {
          binary_package_name: one.name,
          binary_package_version: one.version,
          source_package_name: one.source,
          source_package_version: sourceVersion,
          display_name: `${one.name} ${one.version} in ${one.series} ${binaryArchitecture(one)}`,
          component_name: one.component,
          section_name: one.section,
          architecture_specific: one.architecture !== 'all',
          status: one.status,
          pocket: 'Release',
          date_created: one.createdAt,
          date_published: one.publishedAt,
          date_superseded: one.supersededAt,
          date_made_pending: null,
          archive_link,
          distro_arch_series_link: `${distro_series_link}/${binaryArchitecture(one)}`,
          build_link: `${apiUrl}/${archivePath(one.archive)}/+build/${one.buildId}`,
        },
      );
    },
    build: (one: Build) => {
      const { distribution } = ppaOf(one.archive);
      return entry('build', `${archivePath(one.archive)}/+build/${one.id}`, {
        arch_tag: one.architecture,
        buildstate: one.state,
        title: `${one.architecture} build of ${one.source} ${one.version} in ${distribution} ${one.series} RELEASE`,
        source_package_name: one.source,
        source_package_version: one.version,
        pocket: 'Release',
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
        current_source_publication_link: `${apiUrl}/${archivePath(one.archive)}/+sourcepub/${one.sourceId}`,
        ...links(one.archive, one.series),
      });
    },
    sourceFileUrl: (one: SourcePublication, file: string) =>
      `${webUrl}/${archivePath(one.archive)}/+sourcefiles/${one.source}/${encodeURIComponent(one.version)}/${encodeURIComponent(file)}`,
    changesFileUrl: (one: SourcePublication) =>
      `${webUrl}/${archivePath(one.archive)}/+files/${encodeURIComponent(one.changes.name)}`,
    binaryFileUrl: (one: BinaryPublication) =>
      `${webUrl}/${archivePath(one.archive)}/+files/${encodeURIComponent(one.file.name)}`,
  };
}

const WRITABLE_DIGEST = createHash('sha1').update('').digest('hex');

/** A duration as Python prints it, `0:01:20.500000`; null where one of the times is unknown. */
function duration(from: string | null, to: string | null): string | null {
  if (from === null || to === null) return null;
  const milliseconds = Math.max(0, Date.parse(to) - Date.parse(from));
  const seconds = Math.floor(milliseconds / 1_000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(milliseconds % 1_000).padStart(3, '0')}000`;
}
