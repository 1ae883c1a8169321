import { LAUNCHPAD_BUILD_STATES } from '../../domain/build-state.ts';
import { LAUNCHPAD_NAME, parsePpa, ppaReference, type Ppa } from '../../domain/ppa.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import type { BuildFarm } from '../builders/builder.ts';
import { pageOf } from './collection.ts';
import type { Entries, Entry } from './entries.ts';
import { BadRequest, type Parameters } from './parameters.ts';
import type { BinaryPublication, SourcePublication, StoredFile } from '../archive/records.ts';
import { POCKETS, PUBLICATION_STATUSES } from './wadl.ts';

type ResourceRequest = {
  url: URL;
  parameters: Parameters;
  /** What a script does to the collection that is asked for. */
  paging?: { pageSize?: number | undefined; hideFirst?: number | undefined };
};
type Handler = (request: ResourceRequest) => unknown;

/** What an address of the web service stands for. */
export type Resource = {
  /** The resource itself; an entry is answered with its ETag. */
  read: Handler;
  isEntry: boolean;
  /** Named operations, by the value of `ws.op`. Undefined as an answer is a 404. */
  get: Readonly<Record<string, Handler>>;
  /** These change something, so they need a token. */
  post: Readonly<Record<string, Handler>>;
};

export type ResourceDependencies = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  state: ArchiveState;
  farm: BuildFarm;
  entries: Entries;
  distributions: Readonly<Record<string, readonly string[]>>;
  architectures: readonly string[];
  /** Whether a PPA that was named exists. */
  hasPpa: (ppa: Ppa) => boolean;
};

/** Finds what a path below `/devel/` stands for. People exist as soon as somebody names them, and so do PPAs that `hasPpa` allows. */
export function createResources(
  dependencies: ResourceDependencies,
): (path: string) => Resource | undefined {
  const { webUrl, state, farm, entries, distributions, architectures, hasPpa } = dependencies;
  const apiUrl = `${webUrl}/devel`;

  const knows = (distribution: string, series?: string) =>
    Object.hasOwn(distributions, distribution) &&
    (series === undefined || distributions[distribution]?.includes(series) === true);
  const ppaAt = (owner = '', distribution = '', name = ''): Ppa | undefined => {
    const ppa = knows(distribution) ? parsePpa(`~${owner}/${distribution}/${name}`, '') : undefined;
    return ppa && hasPpa(ppa) ? ppa : undefined;
  };
  const ppasInUse = (): Ppa[] =>
    [...new Set(state.sources().map((one) => one.archive))]
      .toSorted()
      .flatMap((reference) => parsePpa(reference, '') ?? []);
  const binaryEntry = (one: BinaryPublication) => {
    const build = state.build(one.buildId);
    return entries.binary(one, build?.version ?? one.version);
  };

  /** A collection with an address of its own says what it is; the answer of an operation does not. */
  const collection = <Row>(
    type: string,
    records: () => readonly Row[],
    toEntry: (record: Row) => Entry,
    get: Resource['get'] = {},
  ): Resource =>
    plainResource((request) => {
      const answer = page(request, records(), toEntry);
      return typeof answer === 'number'
        ? answer
        : { resource_type_link: `${apiUrl}/#${type}`, ...answer };
    }, get);

  const serviceRoot = (): Resource =>
    plainResource(() => ({
      people_collection_link: `${apiUrl}/people`,
      distributions_collection_link: `${apiUrl}/distros`,
      archives_collection_link: `${apiUrl}/archives`,
      resource_type_link: `${apiUrl}/#service-root`,
    }));

  const person = (name: string): Resource =>
    entryResource(() => entries.person(name), {
      getPPAByName: ({ parameters }) => {
        const [distribution = 'ubuntu'] = parameters.link('distribution') ?? [];
        const ppa = ppaAt(name, distribution, parameters.requiredText('name'));
        return ppa && entries.archive(ppa);
      },
    });

  const archive = (ppa: Ppa): Resource => {
    const reference = ppaReference(ppa);
    return entryResource(() => entries.archive(ppa), {
      getPublishedSources: (request) =>
        page(
          request,
          selectSources(state.sources(reference), request.parameters, ppa),
          entries.source,
        ),
      getPublishedBinaries: (request) =>
        page(
          request,
          selectBinaries(state.binaries(reference), request.parameters, ppa),
          binaryEntry,
        ),
      getBuildRecords: (request) => {
        const { parameters } = request;
        const name = parameters.text('source_name');
        const wanted = parameters.choice('build_state', LAUNCHPAD_BUILD_STATES);
        const builds = isRelease(parameters)
          ? state
              .builds(reference)
              .filter(
                (build) =>
                  (name === undefined || build.source.includes(name)) &&
                  (wanted === undefined || build.state === wanted),
              )
          : [];
        return page(request, builds.toReversed(), entries.build);
      },
    });
  };

  const sourcePublication = (one: SourcePublication): Resource =>
    entryResource(() => entries.source(one), {
      getBuilds: (request) =>
        page(
          request,
          state
            .buildsOfSource(one.id)
            .toSorted((a, b) => (a.architecture < b.architecture ? -1 : 1)),
          entries.build,
        ),
      getPublishedBinaries: (request) => {
        const onlyActive = request.parameters.flag('active_binaries_only');
        return page(
          request,
          binariesOf(one).filter(
            ({ status }) => !onlyActive || status === 'Pending' || status === 'Published',
          ),
          binaryEntry,
        );
      },
      changesFileUrl: () => entries.changesFileUrl(one),
      sourceFileUrls: ({ parameters }) =>
        one.files.map((file) => fileUrl(parameters, entries.sourceFileUrl(one, file.name), file)),
      binaryFileUrls: ({ parameters }) =>
        binariesOf(one).map((binary) =>
          fileUrl(parameters, entries.binaryFileUrl(binary), binary.file),
        ),
    });

  const binariesOf = (one: SourcePublication) => {
    const builds = new Set(state.buildsOfSource(one.id).map((build) => build.id));
    return state.binaries(one.archive).filter((binary) => builds.has(binary.buildId));
  };

  const build = (id: number): Resource =>
    entryResource(
      () => {
        const one = state.build(id);
        if (!one) throw new Error(`build ${id} has gone`);
        return entries.build(one);
      },
      {},
      {
        cancel: () => {
          farm.cancel(id);
          return null;
        },
        retry: () => {
          if (!farm.retry(id)) throw new BadRequest(`Build ${id} cannot be retried.`);
          return null;
        },
      },
    );

  const ROUTES: readonly [RegExp, (...groups: string[]) => Resource | undefined][] = [
    [/^$/, serviceRoot],
    [
      /^people$/,
      () =>
        collection(
          'people',
          () => [...new Set(ppasInUse().map((ppa) => ppa.owner))],
          entries.person,
        ),
    ],
    [
      /^distros$/,
      () => collection('distributions', () => Object.keys(distributions), entries.distribution),
    ],
    [
      /^archives$/,
      () =>
        collection('archives', ppasInUse, entries.archive, {
          getByReference: ({ parameters }) => {
            const [owner = '', ...rest] = parameters.requiredText('reference').split('/');
            const ppa = owner.startsWith('~') ? ppaAt(owner.slice(1), ...rest) : undefined;
            return ppa && rest.length === 2 ? entries.archive(ppa) : undefined;
          },
        }),
    ],
    [new RegExp(`^~(${LAUNCHPAD_NAME})$`), (name = '') => person(name)],
    [
      new RegExp(`^~(${LAUNCHPAD_NAME})/ppas$`),
      (name = '') =>
        collection(
          'archive-page-resource',
          () => ppasInUse().filter((ppa) => ppa.owner === name),
          entries.archive,
        ),
    ],
    [
      /^~([^/]+)\/\+archive\/([^/]+)\/([^/]+)$/,
      (...names) => {
        const ppa = ppaAt(...names);
        return ppa && archive(ppa);
      },
    ],
    [
      /^~([^/]+)\/\+archive\/([^/]+)\/([^/]+)\/\+(sourcepub|binarypub|build)\/(\d{1,15})$/,
      (owner, distribution, name, kind, id) => {
        const ppa = ppaAt(owner, distribution, name);
        const reference = ppa && ppaReference(ppa);
        const source = kind === 'sourcepub' ? state.source(Number(id)) : undefined;
        if (source && source.archive === reference) return sourcePublication(source);
        const binary = kind === 'binarypub' ? state.binary(Number(id)) : undefined;
        if (binary && binary.archive === reference)
          return entryResource(() => binaryEntry(binary), {
            binaryFileUrls: ({ parameters }) => [
              fileUrl(parameters, entries.binaryFileUrl(binary), binary.file),
            ],
          });
        const record = kind === 'build' ? state.build(Number(id)) : undefined;
        return record && record.archive === reference ? build(record.id) : undefined;
      },
    ],
    [
      new RegExp(`^(${LAUNCHPAD_NAME})$`),
      (name = '') =>
        knows(name)
          ? entryResource(() => entries.distribution(name), {
              getSeries: ({ parameters }) => {
                const series = parameters.requiredText('name_or_version');
                return knows(name, series) ? entries.series(name, series) : undefined;
              },
            })
          : undefined,
    ],
    [
      /^([^/]+)\/series$/,
      (name = '') =>
        knows(name)
          ? collection(
              'distro_series-page-resource',
              () => distributions[name] ?? [],
              (series) => entries.series(name, series),
            )
          : undefined,
    ],
    [
      /^([^/]+)\/([^/]+)$/,
      (name = '', series = '') =>
        knows(name, series)
          ? entryResource(() => entries.series(name, series), {
              getDistroArchSeries: ({ parameters }) => {
                const tag = parameters.requiredText('archtag');
                return architectures.includes(tag)
                  ? entries.architecture(name, series, tag)
                  : undefined;
              },
            })
          : undefined,
    ],
    [
      /^([^/]+)\/([^/]+)\/([^/]+)$/,
      (name = '', series = '', architecture = '') =>
        knows(name, series) && architectures.includes(architecture)
          ? entryResource(() => entries.architecture(name, series, architecture))
          : undefined,
    ],
  ];

  return (path) => {
    for (const [form, open] of ROUTES) {
      const match = form.exec(path);
      const resource = match && open(...match.slice(1));
      if (resource) return resource;
    }
    return undefined;
  };
}

function entryResource(
  read: () => Entry,
  get: Resource['get'] = {},
  post: Resource['post'] = {},
): Resource {
  return { read, isEntry: true, get, post };
}

function plainResource(read: Handler, get: Resource['get'] = {}): Resource {
  return { read, isEntry: false, get, post: {} };
}

function page<Row>(
  { url, parameters, paging }: ResourceRequest,
  records: readonly Row[],
  toEntry: (record: Row) => unknown,
): number | Record<string, unknown> {
  return pageOf(records.slice(paging?.hideFirst ?? 0), toEntry, url, parameters, paging?.pageSize);
}

function fileUrl(parameters: Parameters, url: string, { sizeBytes, sha256 }: StoredFile): unknown {
  return parameters.flag('include_meta') ? { url, size: sizeBytes, sha256 } : url;
}

/** Everything in a PPA is in the pocket Release. */
function isRelease(parameters: Parameters): boolean {
  return (parameters.choice('pocket', POCKETS) ?? 'Release') === 'Release';
}

function selectSources(
  all: readonly SourcePublication[],
  parameters: Parameters,
  ppa: Ppa,
): SourcePublication[] {
  const [, series] = linkIn(parameters, 'distro_series', ppa);
  return selectPublications(all, parameters, 'source_name', (one) => one.source).filter(
    (one) => series === undefined || one.series === series,
  );
}

function selectBinaries(
  all: readonly BinaryPublication[],
  parameters: Parameters,
  ppa: Ppa,
): BinaryPublication[] {
  const [, series, architecture] = linkIn(parameters, 'distro_arch_series', ppa);
  return selectPublications(all, parameters, 'binary_name', (one) => one.name).filter(
    (one) =>
      series === undefined ||
      (one.series === series && (one.architecture === architecture || one.architecture === 'all')),
  );
}

function linkIn(parameters: Parameters, name: string, ppa: Ppa): string[] {
  const parts = parameters.link(name);
  if (parts && parts[0] !== ppa.distribution)
    throw new BadRequest(`${name}: it is not of the archive's distribution.`);
  return parts ?? [];
}

/** The filters that sources and binaries share. The default order is by name, the latest first. */
function selectPublications<Kind extends SourcePublication | BinaryPublication>(
  all: readonly Kind[],
  parameters: Parameters,
  nameParameter: string,
  nameOf: (one: Kind) => string,
): Kind[] {
  const name = parameters.text(nameParameter);
  const version = parameters.text('version');
  if (version !== undefined && name === undefined)
    throw new BadRequest(`version: it needs ${nameParameter}.`);
  const isExact = parameters.flag('exact_match');
  const status = parameters.choice('status', PUBLICATION_STATUSES);
  const component = parameters.text('component_name');
  const since = parameters.date('created_since_date')?.getTime();
  const isWanted = isRelease(parameters);
  const selected = all.filter(
    (one) =>
      isWanted &&
      (name === undefined || (isExact ? nameOf(one) === name : nameOf(one).includes(name))) &&
      (version === undefined || one.version === version) &&
      (status === undefined || one.status === status) &&
      (component === undefined || one.component === component) &&
      (since === undefined || Date.parse(one.createdAt) >= since),
  );
  // Ids rise with the date of creation.
  if (parameters.flag('order_by_date')) return selected.toSorted((a, b) => b.id - a.id);
  if (parameters.flag('order_by_date_ascending')) return selected.toSorted((a, b) => a.id - b.id);
  return selected.toSorted((a, b) =>
    nameOf(a) === nameOf(b) ? b.id - a.id : nameOf(a) < nameOf(b) ? -1 : 1,
  );
}
