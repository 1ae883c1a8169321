import { useLocation } from 'preact-iso/router';
import { MAX_TICKET_EVENTS } from '../../domain/tickets/ticket-event.ts';
import { buildAddress, offsetIn, ticketAddress } from '../addresses.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { FoldedFilters } from '../components/folded-filters.tsx';
import { Empty } from '../components/notes.tsx';
import { ListLine } from '../components/list-line.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useStableRows } from '../components/use-stable-rows.ts';
import { count, counted, exactTime, shortTime } from '../format.ts';
import type { Page, TicketEvent } from '../server/api-types.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { loadedList } from '../server/loaded-list.ts';
import { useResource } from '../server/use-resource.ts';
import { pastStepLabel, type StateLabel } from '../states.ts';

const LIMIT = 50;
const NAMES = ['ticket', 'actor', 'kind', 'since', 'until'] as const;
const KINDS: Readonly<Record<TicketEvent['kind'], string>> = {
  step: 'Moved',
  ticket: 'Ticket made',
  subticket: 'Subticket added',
  artifact: 'Artifact added',
  link: 'Linked',
  build: 'Build requested',
  cancellation: 'Cancellation requested',
  landing: 'Landing requested',
  decision: 'Landing decided',
};

const keyOf = ({ at, kind, subject }: TicketEvent) => `${at} ${kind} ${subject}`;

/** What was done to all tickets, by whom and why, the newest first; who made or linked something is not kept. */
export function HistoryPage() {
  const { query, route } = useLocation();
  const offset = offsetIn(query);
  const asked = Object.fromEntries(NAMES.map((name) => [name, query[name] ?? '']));
  const addressOf = (change: Record<string, string>) => {
    const kept = Object.entries({ ...asked, ...change }).filter(([, value]) => value !== '');
    return kept.length > 0 ? `/history?${new URLSearchParams(kept)}` : '/history';
  };
  const loaded = useResource<Page<TicketEvent>>(
    `/api/v1/ticketevent/${addressOf({ limit: String(LIMIT), offset: String(offset) }).slice('/history'.length)}`,
    ({ ticket, build, landing }) => ticket.length + build.length + landing.length > 0,
  );
  const { data, from, isStale, isLoading } = loaded;
  const { held, newCount, showNew: showNews } = useStableRows(data?.objects ?? [], keyOf, from);
  const ask = (change: Record<string, string>, isReplaced = false) =>
    route(addressOf(change), isReplaced);
  const list = loadedList(loaded);
  const { total } = list;
  return (
    <>
      <div class="page-head">
        <PageHeading title="History" />
      </div>
      <FoldedFilters set={NAMES.filter((name) => name !== 'actor' && asked[name] !== '').length}>
        <label class="field">
          <span>Who</span>
          <DelayedInput
            isSearch
            value={asked['actor'] ?? ''}
            placeholder="The whole name"
            onValue={(actor) => ask({ actor: actor.trim() }, true)}
          />
        </label>
        <label class="field">
          <span>Ticket</span>
          <DelayedInput
            value={asked['ticket'] ?? ''}
            placeholder="Its number"
            onValue={(ticket) => ask({ ticket: ticket.trim().replace(/^#/, '') }, true)}
          />
        </label>
        <label class="field">
          <span>What</span>
          <select
            value={asked['kind']}
            onChange={(event) => ask({ kind: event.currentTarget.value })}
          >
            <option value="">Anything</option>
            {Object.entries(KINDS).map(([kind, word]) => (
              <option key={kind} value={kind}>
                {word}
              </option>
            ))}
          </select>
        </label>
        {(['since', 'until'] as const).map((name) => (
          <label key={name} class="field">
            <span>{name === 'since' ? 'Since' : 'Until'}</span>
            <input
              type="datetime-local"
              value={localTime(asked[name] ?? '')}
              onChange={(event) => ask({ [name]: utcTime(event.currentTarget.value) }, true)}
            />
          </label>
        ))}
      </FoldedFilters>
      <ListLine hasNews={newCount > 0} showNews={showNews}>
        <p class="muted figure">
          {!data
            ? ''
            : isStale
              ? 'Loading…'
              : total < MAX_TICKET_EVENTS
                ? counted(total, 'event')
                : `the newest ${count(total)} events; “Until” reaches older ones`}
        </p>
      </ListLine>
      <PagedList
        list={{ ...list, rows: data && held }}
        offset={offset}
        limit={LIMIT}
        addressOf={(to) => addressOf({ offset: to === 0 ? '' : String(to) })}
        empty={
          <Empty icon="search" title="No event matches.">
            <p>
              <a href="/history">Show all events</a>.
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <table class="list history-list" aria-busy={isLoading}>
            <caption class="visually-hidden">What was done to tickets, the newest first</caption>
            <TableHead columns={['When', 'Ticket', 'What', 'Who', 'Why']} />
            <tbody>
              {rows.map((event) => (
                <tr key={keyOf(event)}>
                  <td class="figure nobreak">
                    <time dateTime={event.at} title={exactTime(event.at)}>
                      {shortTime(event.at)}
                    </time>
                  </td>
                  <td>
                    <a data-row href={ticketAddress(idOfUri(event.ticket))}>
                      #{idOfUri(event.ticket)}
                    </a>
                  </td>
                  <td class="cell-why breakable">
                    <What event={event} />
                  </td>
                  <td class="breakable">
                    {event.actor ?? <span class="muted wide-only">not recorded</span>}
                  </td>
                  <td class="cell-why breakable">{event.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </>
  );
}

function What({ event: { kind, subject, detail, ...move } }: { event: TicketEvent }) {
  const id = idOfUri(subject);
  const isBuild = subject.startsWith('/api/v1/build/');
  const from = labelOf(move.from_step, move.from_status);
  const to = labelOf(move.to_step, move.to_status);
  return (
    <>
      {KINDS[kind]} {isBuild && <a href={buildAddress(id)}>build {id}</a>}
      {subject.startsWith('/api/v1/subticket/') && <span class="muted">subticket {id} </span>}
      {subject.startsWith('/api/v1/landing/') && <span class="muted">landing {id} </span>}
      {from && to && from.word !== to.word && (
        <>
          from {from.word} to <StateBadge isPlain label={to} />
        </>
      )}
      {detail !== '' && <span class="muted"> {detail}</span>}
    </>
  );
}

function labelOf(step: TicketEvent['to_step'], status: string | null): StateLabel | undefined {
  return step === null || status === null ? undefined : pastStepLabel(step, status);
}

/** A moment as a field for a local time takes it; empty where it is none. */
function localTime(at: string): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return '';
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}

/** The moment that a field for a local time has; empty where it has none. */
function utcTime(local: string): string {
  return local === '' ? '' : new Date(local).toISOString();
}
