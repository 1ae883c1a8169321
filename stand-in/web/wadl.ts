import { POCKETS } from '../../domain/packages/archive.ts';
import { LAUNCHPAD_BUILD_STATES } from '../../domain/builds/build-state.ts';
import { PUBLICATION_STATUSES, QUEUE_STATUSES } from '../archive/records.ts';

export const WADL_MEDIA_TYPE = 'application/vnd.sun.wadl+xml';

/** A parameter or a field: a plain value, a choice, or a link to a resource type. */
type Value = { options?: readonly string[]; link?: string; isRequired?: true; isDate?: true };
type Operation = {
  method: 'GET' | 'POST';
  parameters?: Readonly<Record<string, Value>>;
  /** Representation that it answers with; none where that is plain JSON. */
  returns?: string;
};
type EntryType = {
  fields: Readonly<Record<string, Value>>;
  operations?: Readonly<Record<string, Operation>>;
};

const plain: Value = {};
const required: Value = { isRequired: true };
const to = (link: string): Value => ({ link });
const pocket: Value = { options: POCKETS };
const status: Value = { options: PUBLICATION_STATUSES };
const queueStatus: Value = { options: QUEUE_STATUSES };
const buildState: Value = { options: LAUNCHPAD_BUILD_STATES };
const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, plain]));
const dates = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { isDate: true }] as const));
const fileUrls: Operation = { method: 'GET', parameters: { include_meta: plain } };
const requestDeletion: Operation = { method: 'POST', parameters: { removal_comment: plain } };

const PERSON: EntryType = {
  fields: {
    ...fields('name', 'display_name', 'is_team'),
    ppas_collection_link: to('archive-page-resource'),
    gpg_keys_collection_link: to('gpg_key-page-resource'),
    participants_collection_link: to('person-page-resource'),
  },
  operations: {
    getPPAByName: {
      method: 'GET',
      parameters: { distribution: to('distribution'), name: required },
      returns: 'archive-full',
    },
  },
};

/** The entries that the stand-in serves, with the names and fields of Launchpad's own description. */
export const ENTRY_TYPES = {
  person: PERSON,
  team: PERSON,
  gpg_key: { fields: fields('keyid', 'fingerprint') },
  archive_permission: {
    fields: {
      ...fields('component_name', 'permission'),
      archive_link: to('archive'),
      person_link: to('person'),
    },
  },
  distribution: {
    fields: {
      ...fields('name', 'display_name'),
      series_collection_link: to('distro_series-page-resource'),
      main_archive_link: to('archive'),
    },
    operations: {
      getSeries: {
        method: 'GET',
        parameters: { name_or_version: required },
        returns: 'distro_series-full',
      },
    },
  },
  distro_series: {
    fields: {
      ...fields('name', 'displayname', 'active', 'status'),
      distribution_link: to('distribution'),
      architectures_collection_link: to('distro_arch_series-page-resource'),
    },
    operations: {
      getDistroArchSeries: {
        method: 'GET',
        parameters: { archtag: required },
        returns: 'distro_arch_series-full',
      },
      getPackageUploads: {
        method: 'GET',
        parameters: {
          ...fields('created_since_date', 'custom_type', 'name', 'version', 'exact_match'),
          status: queueStatus,
          archive: to('archive'),
          pocket,
        },
        returns: 'package_upload-page',
      },
    },
  },
  distro_arch_series: {
    fields: {
      ...fields('architecture_tag', 'display_name'),
      distroseries_link: to('distro_series'),
    },
  },
  package_upload: {
    fields: {
      ...fields('id', 'display_name', 'display_version', 'display_arches'),
      ...fields('package_name', 'package_version', 'component_name', 'section_name'),
      ...fields('contains_source', 'contains_build', 'contains_copy', 'changes_file_url'),
      status: queueStatus,
      pocket,
      ...dates('date_created'),
      archive_link: to('archive'),
      distroseries_link: to('distro_series'),
      copy_source_archive_link: to('archive'),
    },
  },
  archive: {
    fields: {
      ...fields(
        'name',
        'displayname',
        'reference',
        'status',
        'private',
        'publish',
        'permit_obsolete_series_uploads',
        'signing_key_fingerprint',
      ),
      owner_link: to('person'),
      distribution_link: to('distribution'),
    },
    operations: {
      getPublishedSources: {
        method: 'GET',
        parameters: {
          ...fields('source_name', 'version'),
          status,
          distro_series: to('distro_series'),
          pocket,
          ...fields(
            'exact_match',
            'created_since_date',
            'component_name',
            'order_by_date',
            'order_by_date_ascending',
          ),
        },
        returns: 'source_package_publishing_history-page',
      },
      getPublishedBinaries: {
        method: 'GET',
        parameters: {
          ...fields('binary_name', 'version'),
          status,
          distro_arch_series: to('distro_arch_series'),
          pocket,
          ...fields(
            'exact_match',
            'created_since_date',
            'ordered',
            'order_by_date',
            'order_by_date_ascending',
            'component_name',
          ),
        },
        returns: 'binary_package_publishing_history-page',
      },
      getBuildRecords: {
        method: 'GET',
        parameters: { source_name: plain, build_state: buildState, pocket },
        returns: 'build-page',
      },
      getUploadersForComponent: {
        method: 'GET',
        parameters: { component_name: plain },
        returns: 'archive_permission-page',
      },
      checkUpload: {
        method: 'GET',
        parameters: {
          component: required,
          distroseries: { link: 'distro_series', isRequired: true },
          person: to('person'),
          pocket: { options: POCKETS, isRequired: true },
          sourcepackagename: required,
          strict_component: plain,
        },
      },
      copyPackage: {
        method: 'POST',
        parameters: {
          source_name: required,
          version: required,
          from_archive: { link: 'archive', isRequired: true },
          to_pocket: required,
          sponsored: to('person'),
          ...fields('to_series', 'include_binaries', 'unembargo', 'auto_approve', 'silent'),
          ...fields('from_pocket', 'from_series', 'phased_update_percentage', 'move'),
        },
      },
    },
  },
  source_package_publishing_history: {
    fields: {
      ...fields('source_package_name', 'source_package_version', 'display_name'),
      ...fields('component_name', 'section_name'),
      status,
      pocket,
      ...dates('date_created', 'date_published', 'date_superseded', 'date_made_pending'),
      ...dates('date_removed'),
      removal_comment: plain,
      archive_link: to('archive'),
      distro_series_link: to('distro_series'),
    },
    operations: {
      getBuilds: { method: 'GET', returns: 'build-page' },
      getPublishedBinaries: {
        method: 'GET',
        parameters: { active_binaries_only: plain },
        returns: 'binary_package_publishing_history-page',
      },
      changesFileUrl: { method: 'GET' },
      sourceFileUrls: fileUrls,
      binaryFileUrls: { method: 'GET' },
      requestDeletion,
    },
  },
  binary_package_publishing_history: {
    fields: {
      ...fields('binary_package_name', 'binary_package_version', 'display_name'),
      ...fields('source_package_name', 'source_package_version'),
      ...fields('component_name', 'section_name', 'architecture_specific'),
      status,
      pocket,
      ...dates('date_created', 'date_published', 'date_superseded', 'date_made_pending'),
      ...dates('date_removed'),
      archive_link: to('archive'),
      build_link: to('build'),
      distro_arch_series_link: to('distro_arch_series'),
    },
    operations: { binaryFileUrls: fileUrls, requestDeletion },
  },
  build: {
    fields: {
      ...fields('arch_tag', 'title', 'source_package_name', 'source_package_version'),
      buildstate: buildState,
      pocket,
      ...fields('build_log_url', 'upload_log_url', 'changesfile_url', 'buildinfo_url'),
      ...fields('can_be_cancelled', 'can_be_retried', 'can_be_rescored'),
      ...dates('datecreated', 'date_first_dispatched', 'date_started', 'datebuilt'),
      ...fields('duration', 'dependencies', 'external_dependencies', 'score'),
      archive_link: to('archive'),
      distribution_link: to('distribution'),
      distro_series_link: to('distro_series'),
      current_source_publication_link: to('source_package_publishing_history'),
    },
    operations: { cancel: { method: 'POST' }, retry: { method: 'POST' } },
  },
} as const satisfies Record<string, EntryType>;

export type EntryTypeName = keyof typeof ENTRY_TYPES;

const COLLECTIONS: Readonly<
  Record<string, { of: EntryTypeName; operations?: Readonly<Record<string, Operation>> }>
> = {
  people: {
    of: 'person',
    operations: {
      getByEmail: { method: 'GET', parameters: { email: required }, returns: 'person-full' },
    },
  },
  distributions: { of: 'distribution' },
  archives: {
    of: 'archive',
    operations: {
      getByReference: {
        method: 'GET',
        parameters: { reference: required },
        returns: 'archive-full',
      },
    },
  },
};

/**
 * The description of the web service that launchpadlib asks for first: Launchpad's own, cut to what is served here.
 *
 * @param base address of the service root, with the version and a slash at its end
 */
export function describeService(base: string): string {
  const resourceType = (id: string, methods: string) =>
    `<wadl:resource_type id="${id}">${methods}</wadl:resource_type>`;
  const representation = (id: string, content: string) =>
    `<wadl:representation mediaType="application/json" id="${id}">${content}</wadl:representation>`;
  const get = (id: string, href: string) =>
    `<wadl:method name="GET" id="${id}-get"><wadl:response><wadl:representation href="${href}"/></wadl:response></wadl:method>`;

  const value = ({ options = [], link }: Value) =>
    options.map((option) => `<wadl:option value="${option}"/>`).join('') +
    (link === undefined ? '' : `<wadl:link resource_type="${base}#${link}"/>`);
  const field = (name: string, content: string, isDate = false) =>
    `<wadl:param style="plain" name="${name}"${isDate ? ' type="xsd:dateTime"' : ''} path="$['${name}']">${content}</wadl:param>`;
  const operations = (id: string, all: Readonly<Record<string, Operation>> = {}) =>
    Object.entries(all)
      .map(([name, { method, parameters = {}, returns }]) => {
        const inputs =
          `<wadl:param style="query" name="ws.op" required="true" fixed="${name}"/>` +
          Object.entries(parameters)
            .map(
              ([parameter, one]) =>
                `<wadl:param style="query" name="${parameter}" required="${one.isRequired === true}">${value(one)}</wadl:param>`,
            )
            .join('');
        const request =
          method === 'GET'
            ? inputs
            : `<wadl:representation mediaType="application/x-www-form-urlencoded">${inputs}</wadl:representation>`;
        const response =
          returns === undefined
            ? ''
            : `<wadl:response><wadl:representation href="${base}#${returns}"/></wadl:response>`;
        return `<wadl:method id="${id}-${name}" name="${method}"><wadl:request>${request}</wadl:request>${response}</wadl:method>`;
      })
      .join('');

  const entries = Object.entries(ENTRY_TYPES).flatMap(([id, type]: [string, EntryType]) => [
    resourceType(id, get(id, `${base}#${id}-full`) + operations(id, type.operations)),
    representation(
      `${id}-full`,
      [
        field('self_link', `<wadl:link resource_type="${base}#${id}"/>`),
        field('resource_type_link', '<wadl:link/>'),
        field('http_etag', ''),
        field('web_link', '<wadl:link/>'),
        ...Object.entries(type.fields).map(([name, one]) => field(name, value(one), one.isDate)),
      ].join(''),
    ),
    resourceType(`${id}-page-resource`, get(`${id}-page-resource`, `#${id}-page`)),
    representation(
      `${id}-page`,
      [
        field('resource_type_link', '<wadl:link/>'),
        field('total_size', ''),
        field('total_size_link', `<wadl:link resource_type="${base}#ScalarValue"/>`),
        field('start', ''),
        field('next_collection_link', `<wadl:link resource_type="${base}#${id}-page-resource"/>`),
        field('prev_collection_link', `<wadl:link resource_type="${base}#${id}-page-resource"/>`),
        field('entries', ''),
        field('entry_links', ''),
      ].join(''),
    ),
  ]);
  const collections = Object.entries(COLLECTIONS).map(([id, collection]) =>
    resourceType(
      id,
      get(id, `${base}#${collection.of}-page`) + operations(id, collection.operations),
    ),
  );
  return [
    '<?xml version="1.0"?>',
    '<wadl:application xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:wadl="http://research.sun.com/wadl/2006/10" xmlns="http://research.sun.com/wadl/2006/10">',
    `<wadl:resources base="${base}"><wadl:resource path="" type="#service-root"/></wadl:resources>`,
    resourceType('service-root', get('service-root', '#service-root-json')),
    representation(
      'service-root-json',
      [
        ...Object.keys(COLLECTIONS).map((id) =>
          field(`${id}_collection_link`, `<wadl:link resource_type="${base}#${id}"/>`),
        ),
        field('resource_type_link', '<wadl:link/>'),
      ].join(''),
    ),
    resourceType(
      'ScalarValue',
      '<wadl:method name="GET" id="ScalarValue-get"><wadl:response><wadl:representation mediaType="application/json"/></wadl:response></wadl:method>',
    ),
    ...collections,
    ...entries,
    '</wadl:application>\n',
  ].join('\n');
}
