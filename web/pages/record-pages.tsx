import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { offsetIn } from '../addresses.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { Empty } from '../components/notes.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { Ago } from '../components/relative-time.tsx';
import { TableHead } from '../components/table-head.tsx';
import { counted } from '../format.ts';
import type { Branch, Mergeproposal, Page, Person, Project } from '../server/api-types.ts';
import { loadedList } from '../server/loaded-list.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { useResource } from '../server/use-resource.ts';

const LIMIT = 50;

/** A list of records of a kind: how it is asked for, and what its rows show. */
type Kind<T> = {
  title: string;
  one: string;
  path: string;
  resource: string;
  /** The field that is searched, and what it is called. */
  search: readonly [field: string, label: string];
  order: string;
  /** `before` names a cell that says nothing alone: phones show no heads. */
  columns: readonly (readonly [
    name: string,
    cell: (row: T, names: Names) => ComponentChildren,
    before?: string,
  ])[];
  /** The persons and others that a row refers to, by the resources that they are of. */
  refers?: (row: T) => readonly (string | null)[];
};
type Names = ReadonlyMap<string, string>;

const named = (uri: string | null, names: Names) =>
  uri === null ? <span class="muted">none</span> : (names.get(uri) ?? `${idOfUri(uri)}`);

const PEOPLE: Kind<Person> = {
  title: 'People',
  one: 'person',
  path: '/people',
  resource: 'person',
  search: ['name__icontains', 'Name'],
  order: 'name',
  columns: [
    ['Name', ({ name }) => name],
    ['Address', ({ email }) => email],
    ['Kind', ({ is_team: isTeam }) => (isTeam ? 'team' : 'person')],
    [
      'Tickets',
      ({ email }) => (
        <a href={`/tickets?${new URLSearchParams({ show: 'all', owner: email })}`}>
          Tickets<span class="visually-hidden"> of {email}</span>
        </a>
      ),
    ],
  ],
};

const PROJECTS: Kind<Project> = {
  title: 'Projects',
  one: 'project',
  path: '/projects',
  resource: 'project',
  search: ['name__icontains', 'Name'],
  order: 'name',
  columns: [
    ['Name', ({ display_name: name }) => name],
    ['Maintainer', ({ maintainer }, names) => named(maintainer, names), 'maintainer'],
    ['Contact', ({ contact }, names) => named(contact, names), 'contact'],
    [
      'Branches',
      ({ id, name }) => (
        <a href={`/branches?project=${id}`}>
          Branches<span class="visually-hidden"> of {name}</span>
        </a>
      ),
    ],
    ['What it is', ({ description }) => <span class="cut">{description}</span>],
  ],
  refers: ({ maintainer, contact }) => [maintainer, contact],
};

const BRANCHES: Kind<Branch> = {
  title: 'Branches',
  one: 'branch',
  path: '/branches',
  resource: 'branch',
  search: ['unique_name__icontains', 'Name'],
  order: 'unique_name',
  columns: [
    ['Name', ({ unique_name: name }) => name],
    ['Kind', ({ type }) => type],
    ['Project', ({ project }, names) => named(project, names), 'project'],
    ['Owner', ({ owner }, names) => named(owner, names), 'owner'],
    [
      'Proposals',
      ({ id, unique_name: name }) => (
        <a href={`/proposals?branch=${id}`}>
          Merge proposals<span class="visually-hidden"> of {name}</span>
        </a>
      ),
    ],
  ],
  refers: ({ project, owner }) => [project, owner],
};

const PROPOSALS: Kind<Mergeproposal> = {
  title: 'Merge proposals',
  one: 'merge proposal',
  path: '/proposals',
  resource: 'mergeproposal',
  search: ['branch__unique_name__icontains', 'Branch'],
  order: '-id',
  columns: [
    ['Branch', ({ branch }, names) => named(branch, names)],
    ['Status', ({ status }) => status.replaceAll('_', ' ')],
    ['Submitter', ({ submitter }, names) => named(submitter, names), 'submitter'],
    [
      'Into',
      ({ target_branch: target, target_repository: repository }) =>
        target === '' ? <span class="muted">–</span> : `${target} of ${repository}`,
      'into',
    ],
    [
      'Its page',
      ({ hosting_weblink: page }) =>
        page === '' ? (
          <span class="muted">none</span>
        ) : (
          <ExternalLink to={page}>{page}</ExternalLink>
        ),
    ],
    ['Changed', ({ updated_at: at }) => <Ago at={at} />, 'changed'],
  ],
  refers: ({ branch, submitter }) => [branch, submitter],
};

/** The persons and teams. */
export const PeoplePage = () => <Records kind={PEOPLE} />;
/** The upstream projects. */
export const ProjectsPage = () => <Records kind={PROJECTS} />;
/** The branches of projects. */
export const BranchesPage = () => <Records kind={BRANCHES} />;
/** The merge proposals. */
export const ProposalsPage = () => <Records kind={PROPOSALS} />;

/** What narrows a list further, by a link of another one. */
const THROUGH = ['project', 'branch'] as const;

function Records<T extends { id: number }>({ kind }: { kind: Kind<T> }) {
  const { query, route } = useLocation();
  const { title, one, path, resource, search, order, columns, refers } = kind;
  const q = query['q'] ?? '';
  const offset = offsetIn(query);
  const through = Object.fromEntries(
    THROUGH.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
  const addressOf = (asked: { q: string; offset: number }) => {
    const address = new URLSearchParams(through);
    if (asked.q !== '') address.set('q', asked.q);
    if (asked.offset > 0) address.set('offset', String(asked.offset));
    return address.size > 0 ? `${path}?${address}` : path;
  };
  const list = new URLSearchParams({
    ...through,
    ...(q === '' ? {} : { [search[0]]: q }),
    order_by: order,
    limit: String(LIMIT),
    offset: String(offset),
  });
  const loaded = useResource<Page<T>>(`/api/v1/${resource}/?${list}`);
  const { data, isStale, isLoading } = loaded;
  const names = useNames(data && refers ? data.objects.flatMap((row) => refers(row)) : []);
  const total = data?.meta.total_count ?? 0;
  return (
    <>
      <div class="page-head">
        <PageHeading title={title} />
      </div>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="field field-search">
          <span>{search[1]}</span>
          <DelayedInput
            isSearch
            value={q}
            placeholder="A part of it"
            onValue={(typed) => route(addressOf({ q: typed, offset: 0 }), true)}
          />
        </label>
      </form>
      <div class="list-line">
        <p class="muted figure" role="status">
          {!data ? '' : isStale ? 'Loading…' : counted(total, one, title.toLowerCase())}
        </p>
      </div>
      <PagedList
        list={loadedList(loaded)}
        offset={offset}
        limit={LIMIT}
        addressOf={(to) => addressOf({ q, offset: to })}
        empty={
          <Empty icon="search" title={`There are no ${title.toLowerCase()} here.`}>
            <p>
              Add them with the <code>airline</code> command or the{' '}
              <a href="/docs/" target="_top">
                API
              </a>
              .
              {q !== '' && (
                <>
                  {' '}
                  <a href={path}>Show all</a>.
                </>
              )}
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <table class="list" aria-busy={isLoading}>
            <caption class="visually-hidden">{title}</caption>
            <TableHead columns={columns.map(([name]) => name)} />
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  {columns.map(([name, cell, before], index) => (
                    <td
                      key={name}
                      class={index === 0 ? 'cell-main breakable' : 'breakable'}
                      data-before={before}
                    >
                      {index === 0 ? <b>{cell(row, names)}</b> : cell(row, names)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </>
  );
}

/** The names of what rows refer to, by their addresses: one request for each kind. */
function useNames(uris: readonly (string | null)[]): Names {
  const idsOf = (resource: string) =>
    [
      ...new Set(
        uris.flatMap((uri) => (uri?.startsWith(`/api/v1/${resource}/`) ? [idOfUri(uri)] : [])),
      ),
    ].join(';');
  const setOf = (resource: string) => {
    const ids = idsOf(resource);
    return ids === '' ? null : `/api/v1/${resource}/set/${ids}/`;
  };
  const persons = useResource<{ objects: Person[] }>(setOf('person'));
  const projects = useResource<{ objects: Project[] }>(setOf('project'));
  const branches = useResource<{ objects: Branch[] }>(setOf('branch'));
  return new Map<string, string>([
    ...(persons.data?.objects ?? []).map((one) => [one.resource_uri, one.name] as const),
    ...(projects.data?.objects ?? []).map((one) => [one.resource_uri, one.display_name] as const),
    ...(branches.data?.objects ?? []).map((one) => [one.resource_uri, one.unique_name] as const),
  ]);
}
