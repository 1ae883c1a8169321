import { useLocation } from 'preact-iso/router';
import { useEffect } from 'preact/hooks';
import { offsetIn, ticketAddress } from '../addresses.ts';
import { announce } from '../announce.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { ListCount, ListLine } from '../components/list-line.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago } from '../components/relative-time.tsx';
import { Command, Empty, ErrorNote } from '../components/notes.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { SortHead } from '../components/sort-head.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { StepTrack } from '../components/step-track.tsx';
import { counted } from '../format.ts';
import type { Buildsummary, Page, Ticket } from '../server/api-types.ts';
import { readWholePage } from '../server/read-pages.ts';
import { useResource, type Resource } from '../server/use-resource.ts';
import { useStableList } from '../server/use-stable-list.ts';
import { buildLabel, positionLabel } from '../states.ts';
import { NewTicketButton } from '../tickets/new-ticket-button.tsx';
import { STEP_VALUES, stepFilter, stepName, stepToShow } from '../../domain/tickets/ticket.ts';

const LIMIT = 25;
const COLUMNS = [
  { name: 'Ticket', order: 'id', firstDown: true },
  { name: 'Step', order: 'current_workflow_step', firstDown: false },
  { name: 'Latest build', order: undefined, firstDown: false },
  { name: 'Owner', order: 'owner', firstDown: false },
  { name: 'Changed', order: 'updated_at', firstDown: true },
] as const;
const NEWEST_FIRST = '-id';

/** What is asked of the list; the address has all of it. */
type Asked = { show: string; owner: string; q: string; order: string; offset: number };

/** The tickets, as filtered, sorted and paged in the address, live. */
export function TicketsPage() {
  const { query, route } = useLocation();
  const asked = readAsked(query);
  const list = useStableList<Ticket>(listAddress(asked), {
    resource: '/api/v1/ticket/',
    concerns: ({ ticket }) => ticket.length > 0,
  });
  const { rows, total, hasNews, showNews, loaded } = list;
  const builds = useLatestBuilds(rows);
  const ask = (change: Partial<Asked>, isReplaced = false) =>
    route(pageAddress({ ...asked, offset: 0, ...change }), isReplaced);

  useEffect(() => {
    if (rows && !hasNews) announce(counted(total, 'ticket'));
  }, [total, rows === undefined, hasNews]);

  return (
    <>
      <div class="page-head">
        <PageHeading title="Tickets" />
        <NewTicketButton />
      </div>
      <Filters asked={asked} ask={ask} />
      <ListLine hasNews={hasNews} showNews={showNews}>
        <ListCount list={list} noun="ticket" />
      </ListLine>
      <PagedList
        list={list}
        offset={asked.offset}
        limit={LIMIT}
        addressOf={(offset) => pageAddress({ ...asked, offset })}
        empty={<NoTickets asked={asked} />}
      >
        {(shown) => (
          <>
            <table class="list tickets" aria-busy={loaded.isLoading}>
              <caption class="visually-hidden">Tickets</caption>
              <thead>
                <tr>
                  {COLUMNS.map((column) => (
                    <SortHead
                      key={column.name}
                      {...column}
                      by={asked.order}
                      addressOf={(order) => pageAddress({ ...asked, offset: 0, order })}
                    />
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map((ticket) => (
                  <Row key={ticket.id} ticket={ticket} build={builds.latestOf(ticket.id)} />
                ))}
              </tbody>
            </table>
            {builds.error && (
              <ErrorNote what="The latest builds" error={builds.error} retry={builds.reload} />
            )}
          </>
        )}
      </PagedList>
    </>
  );
}

/** @param build null if the ticket has no build, undefined if that is not known */
function Row({ ticket, build }: { ticket: Ticket; build: Buildsummary | null | undefined }) {
  return (
    <tr>
      <td class="cell-main">
        <a data-row href={ticketAddress(ticket.id)}>
          <span class="number">#{ticket.id}</span> {ticket.title}
        </a>
      </td>
      <td class="cell-step">
        <StateBadge label={positionLabel(ticket)} isPlain />
        <StepTrack step={stepToShow(ticket)} />
      </td>
      <td class="cell-build">
        {build ? (
          <a
            class="quiet"
            href={`/build/${build.id}`}
            aria-label={`Build ${build.id}: ${buildLabel(build).word}`}
          >
            <StateBadge label={buildLabel(build)} />
          </a>
        ) : (
          <span class="muted">{build === null ? 'none yet' : 'not known yet'}</span>
        )}
      </td>
      <td class="cell-owner">
        <span class="cut" title={ticket.owner}>
          {ticket.owner}
        </span>
      </td>
      <td class="cell-time">
        <Ago at={ticket.updated_at} />
      </td>
    </tr>
  );
}

function Filters({
  asked,
  ask,
}: {
  asked: Asked;
  ask: (change: Partial<Asked>, isReplaced?: boolean) => void;
}) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="field field-search">
        <span>Search</span>
        <DelayedInput
          isSearch
          value={asked.q}
          placeholder="Title, bug, package, owner, or number"
          onValue={(q) => ask({ q }, true)}
        />
      </label>
      <label class="field">
        <span>Show</span>
        <select value={asked.show} onChange={(event) => ask({ show: event.currentTarget.value })}>
          <option value="open">Open tickets</option>
          <option value="all">All tickets</option>
          {STEP_VALUES.map((step) => (
            <option key={step} value={step}>
              At {stepName(step)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Owner</span>
        <DelayedInput
          value={asked.owner}
          placeholder="Anybody"
          onValue={(owner) => ask({ owner }, true)}
        />
      </label>
    </form>
  );
}

function NoTickets({ asked }: { asked: Asked }) {
  const isFiltered = asked.q !== '' || asked.owner !== '' || asked.show !== 'open';
  if (isFiltered)
    return (
      <Empty icon="search" title="No ticket matches.">
        <p>
          Search for fewer words, or <a href="/tickets">show all open tickets</a>.
        </p>
      </Empty>
    );
  return (
    <Empty icon="tickets" title="No ticket is open.">
      <p>
        A ticket takes source packages from the upload to the archive. Create one from a signed
        source package:
      </p>
      <Command>
        airline submit ../hello_2.10-3_source.changes --ppa ppa:you/landing --series noble --wait
      </Command>
      <p>
        Or look at <a href="/tickets?show=all">all tickets</a>.
      </p>
    </Empty>
  );
}

/** The newest build of each ticket in the list: null if it has none, undefined if that is not known. */
function useLatestBuilds(tickets: readonly Ticket[] | undefined): Pick<
  Resource<unknown>,
  'error' | 'reload'
> & {
  latestOf: (ticketId: number) => Buildsummary | null | undefined;
} {
  const ids = tickets?.map(({ id }) => id).join(',');
  const path = ids
    ? `/api/v1/buildsummary/?ticket__in=${ids}&latest_of=ticket&limit=${LIMIT}`
    : null;
  const { data, from, error, reload } = useResource<Page<Buildsummary>>(
    path,
    ({ build }) => build.length > 0,
    readWholePage,
  );
  const latest = new Map(data?.objects.map((build) => [build.ticket_id, build]));
  const ofNone = from === path ? null : undefined;
  return { latestOf: (ticketId) => latest.get(ticketId) ?? ofNone, error, reload };
}

function readAsked(query: Record<string, string>): Asked {
  return {
    show: query['show'] ?? 'open',
    owner: query['owner'] ?? '',
    q: query['q'] ?? '',
    order: query['order'] ?? NEWEST_FIRST,
    offset: offsetIn(query),
  };
}

/** The address of the list with these filters; defaults are left out. */
function pageAddress({ show, owner, q, order, offset }: Asked): string {
  const query = new URLSearchParams();
  if (show !== 'open') query.set('show', show);
  if (q !== '') query.set('q', q);
  if (owner !== '') query.set('owner', owner);
  if (order !== NEWEST_FIRST) query.set('order', order);
  if (offset > 0) query.set('offset', String(offset));
  const text = query.toString();
  return text ? `/tickets?${text}` : '/tickets';
}

function listAddress({ show, owner, q, order, offset }: Asked): string {
  const query = new URLSearchParams({
    ...(show === 'open' || show === 'all' ? {} : stepFilter(show)),
    limit: String(LIMIT),
    offset: String(offset),
    order_by: order,
  });
  if (q !== '') query.set('q', q);
  if (owner !== '') query.set('owner__icontains', owner);
  if (show === 'open') return `/api/v1/opentickets/?${query}`;
  return `/api/v1/ticketstatus/?${query}`;
}
