import { archiveReference, isPpa, parseArchive } from '../../domain/packages/archive.ts';
import { LAUNCHPAD_NAME, type Ppa } from '../../domain/packages/ppa.ts';
import type { Account, Accounts } from '../archive/accounts.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import { archiveOf } from '../archive/layout.ts';
import type { BuildFarm } from '../builders/builder.ts';
import type { Distributions } from '../options.ts';
import type { ScriptFile } from '../script/script.ts';
import { createArchiveResource } from './archive-resources.ts';
import type { Entries } from './entries.ts';
import type { Entry } from './entry-maker.ts';
import { createArchiveFinder } from './find-archive.ts';
import { createPublicationResources } from './publication-resources.ts';
import { createSeriesResource } from './series-resources.ts';
import { entryResource, page, plainResource, type Redirect, type Resource } from './resource.ts';

export type ResourceDependencies = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  state: ArchiveState;
  farm: BuildFarm;
  entries: Entries;
  distributions: Distributions;
  architectures: readonly string[];
  accounts: Accounts;
  script: ScriptFile | undefined;
};

/**
 * Finds what a path below `/devel/` stands for. PPAs exist as soon as somebody names them, unless the script says which
 * ones do, and so do people that `accounts` knows.
 */
export function createResources(
  dependencies: ResourceDependencies,
): (path: string) => Resource | Redirect | undefined {
  const { webUrl, state, entries, distributions, architectures, accounts } = dependencies;
  const { sourcePublication, binaryPublication, build } = createPublicationResources(dependencies);
  const apiUrl = `${webUrl}/devel`;

  const knows = (distribution: string, series?: string) =>
    Object.hasOwn(distributions, distribution) &&
    (series === undefined || distributions[distribution]?.includes(series) === true);
  const findArchive = createArchiveFinder(dependencies);
  const archive = createArchiveResource({ ...dependencies, findArchive });
  const series = createSeriesResource({ ...dependencies, findArchive });
  const ppasInUse = (): Ppa[] =>
    [...new Set(state.sources().map((one) => one.archive))]
      .toSorted()
      .map(parseArchive)
      .filter((one) => one !== undefined)
      .filter(isPpa);
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

  const person = (account: Account): Resource =>
    entryResource(() => entries.person(account), {
      getPPAByName: ({ parameters }) => {
        const [distribution = 'ubuntu'] = parameters.link('distribution') ?? [];
        const found = findArchive.byReference(
          `~${account.name}/${distribution}/${parameters.requiredText('name')}`,
        );
        return found && entries.archive(found);
      },
    });
  const ofAccount = (name: string, open: (account: Account) => Resource): Resource | undefined => {
    const account = accounts.find(name);
    return account && open(account);
  };

  const ROUTES: readonly [RegExp, (...groups: string[]) => Resource | undefined][] = [
    [/^$/, serviceRoot],
    [
      /^people$/,
      () =>
        collection(
          'people',
          () =>
            [...new Set(ppasInUse().map((ppa) => ppa.owner))].flatMap(
              (owner) => accounts.find(owner) ?? [],
            ),
          entries.person,
          {
            getByEmail: ({ parameters }) => {
              const account = accounts.byEmail(parameters.requiredText('email'));
              return account ? entries.person(account) : null;
            },
          },
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
            const found = findArchive.byReference(parameters.requiredText('reference'));
            return found && entries.archive(found);
          },
        }),
    ],
    [new RegExp(`^~(${LAUNCHPAD_NAME})$`), (name = '') => ofAccount(name, person)],
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
      new RegExp(`^~(${LAUNCHPAD_NAME})/gpg_keys$`),
      (name = '') =>
        ofAccount(name, ({ keys }) =>
          collection(
            'gpg_key-page-resource',
            () => keys,
            (key) => entries.gpgKey(name, key),
          ),
        ),
    ],
    [
      new RegExp(`^~(${LAUNCHPAD_NAME})/participants$`),
      (name = '') =>
        ofAccount(name, () =>
          collection('person-page-resource', () => accounts.participants(name), entries.person),
        ),
    ],
    [
      /^(.+\/\+archive\/.+)$/,
      (path = '') => {
        const found = findArchive.at(path);
        return found && archive(found);
      },
    ],
    [
      /^(.+\/\+archive\/.+)\/\+(sourcepub|binarypub|build)\/(\d{1,15})$/,
      (path = '', kind, id) => {
        const found = findArchive.at(path);
        const reference = found && archiveReference(found);
        const source = kind === 'sourcepub' ? state.source(Number(id)) : undefined;
        if (source && source.archive === reference) return sourcePublication(source);
        const binary = kind === 'binarypub' ? state.binary(Number(id)) : undefined;
        if (binary && binary.archive === reference) return binaryPublication(binary);
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
      new RegExp(`^(${LAUNCHPAD_NAME})/(${LAUNCHPAD_NAME})/\\+upload/(\\d{1,15})$`),
      (name, seriesName, id) => {
        const copy = state.copy(Number(id));
        return copy?.series === seriesName && archiveOf(copy.archive).distribution === name
          ? entryResource(() => entries.packageUpload(copy))
          : undefined;
      },
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
      (name = '', seriesName = '') =>
        knows(name, seriesName) ? series(name, seriesName) : undefined,
    ],
    [
      /^([^/]+)\/([^/]+)\/architectures$/,
      (name = '', series = '') =>
        knows(name, series)
          ? collection(
              'distro_arch_series-page-resource',
              () => architectures,
              (architecture) => entries.architecture(name, series, architecture),
            )
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
    const redirectTo = findArchive.redirectOf(path);
    return redirectTo === undefined ? undefined : { redirectTo };
  };
}
