import { isPpa, archiveReference, type Archive } from '../../domain/packages/archive.ts';
import type { Account } from '../archive/accounts.ts';
import { displayNameOf } from '../archive/display-name.ts';
import { createEntryMaker } from './entry-maker.ts';
import { createPublicationEntries } from './publication-entries.ts';

/** Makes entries of Launchpad's web service out of records, with absolute links. */
export type Entries = ReturnType<typeof createEntries>;

export type EntryContext = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  signingKeyFingerprint: string;
  /** The architecture that also builds what is for `all`. */
  nominatedArchitecture: string;
  /** Whether nobody sees more of an archive than what everybody may see of a private PPA. */
  isHidden: (reference: string) => boolean;
};

/** Opens what makes the entries of a web service. */
export function createEntries({
  webUrl,
  signingKeyFingerprint,
  nominatedArchitecture,
  isHidden,
}: EntryContext) {
  const maker = createEntryMaker(webUrl);
  const { apiUrl, entry, pathOf } = maker;

  return {
    ...createPublicationEntries(maker, nominatedArchitecture),
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
    permission: (archive: Archive, name: string) =>
      entry('archive_permission', `${pathOf(archive)}/+upload/${name}`, {
        archive_link: `${apiUrl}/${pathOf(archive)}`,
        component_name: 'main',
        permission: 'Archive Upload Rights',
        person_link: `${apiUrl}/~${name}`,
      }),
    distribution: (name: string) =>
      entry('distribution', name, {
        name,
        display_name: name,
        series_collection_link: `${apiUrl}/${name}/series`,
        main_archive_link: `${apiUrl}/${pathOf({ distribution: name })}`,
      }),
    series: (distribution: string, name: string) =>
      entry('distro_series', `${distribution}/${name}`, {
        name,
        displayname: name,
        active: true,
        status: 'Current Stable Release',
        architectures_collection_link: `${apiUrl}/${distribution}/${name}/architectures`,
        distribution_link: `${apiUrl}/${distribution}`,
      }),
    architecture: (distribution: string, series: string, architecture: string) =>
      entry('distro_arch_series', `${distribution}/${series}/${architecture}`, {
        architecture_tag: architecture,
        display_name: `${distribution} ${series} ${architecture}`,
        distroseries_link: `${apiUrl}/${distribution}/${series}`,
      }),
    archive: (archive: Archive) => {
      const isPrivate = isHidden(archiveReference(archive));
      const unlessHidden = (value: unknown) => (isPrivate ? REDACTED : value);
      return entry('archive', pathOf(archive), {
        name: isPpa(archive) ? archive.name : 'primary',
        displayname: displayNameOf(archive),
        reference: archiveReference(archive),
        status: unlessHidden('Active'),
        private: isPrivate,
        publish: unlessHidden(true),
        permit_obsolete_series_uploads: unlessHidden(false),
        signing_key_fingerprint: unlessHidden(signingKeyFingerprint),
        owner_link: `${apiUrl}/~${isPpa(archive) ? archive.owner : `${archive.distribution}-archive`}`,
        distribution_link: `${apiUrl}/${archive.distribution}`,
      });
    },
  };
}

/** What lazr.restful gives in place of a value that the caller may not see. */
const REDACTED = 'tag:launchpad.net:2008:redacted';
