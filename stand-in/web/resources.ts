import { LAUNCHPAD_NAME, parsePpa, ppaReference, type Ppa } from '../../domain/ppa.ts';
import type { Account, Accounts } from '../archive/accounts.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import type { BuildFarm } from '../builders/builder.ts';
import type { Entries, Entry } from './entries.ts';
import { createArchiveResources } from './archive-resources.ts';
import { entryResource, page, plainResource, type Resource } from './resource.ts';

export type ResourceDependencies = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  state: ArchiveState;
  farm: BuildFarm;
  entries: Entries;
  distributions: Readonly<Record<string, readonly string[]>>;
  architectures: readonly string[];
  accounts: Accounts;
  /** Whether a PPA that was named exists. */
  hasPpa: (ppa: Ppa) => boolean;
};

/**
 * Finds what a path below `/devel/` stands for. PPAs that `hasPpa` allows exist as soon as somebody names them, and so do
 * people that `accounts` knows.
 */
export function createResources(
  dependencies: ResourceDependencies,
): (path: string) => Resource | undefined {
  const { webUrl, state, entries, distributions, architectures, accounts, hasPpa } = dependencies;
  const { archive, sourcePublication, binaryPublication, build } =
    createArchiveResources(dependencies);
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
        const ppa = ppaAt(account.name, distribution, parameters.requiredText('name'));
        return ppa && entries.archive(ppa);
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
            const [owner = '', ...rest] = parameters.requiredText('reference').split('/');
            const ppa = owner.startsWith('~') ? ppaAt(owner.slice(1), ...rest) : undefined;
            return ppa && rest.length === 2 ? entries.archive(ppa) : undefined;
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
