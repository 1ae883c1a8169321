import { useLocation } from 'preact-iso/router';
import { STEP_VALUES, stepName } from '../../domain/ticket.ts';
import { idOf, offsetIn, ticketAddress } from '../addresses.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { Empty } from '../components/notes.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { counted, exactTime, shortTime } from '../format.ts';
import type { Page, StatusChange } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { stepLabel } from '../states.ts';

const LIMIT = 50;
const NAMES = ['ticket', 'actor', 'to_step'] as const;

/** Who moved which ticket from where to where, and why: the history of all of them, the newest first. */
export function HistoryPage() {
  const { query, route } = useLocation();
  const offset = offsetIn(query);
  const asked = Object.fromEntries(NAMES.map((name) => [name, query[name] ?? '']));
  const addressOf = (change: Record<string, string>) => {
    const kept = Object.entries({ ...asked, ...change }).filter(([, value]) => value !== '');
    return kept.length > 0 ? `/history?${new URLSearchParams(kept)}` : '/history';
  };
  const { data, error, isLoading, reload } = useResource<Page<StatusChange>>(
    `/api/v1/statuschange/${addressOf({ limit: String(LIMIT), offset: String(offset) }).slice('/history'.length)}`,
    ({ ticket }) => ticket.length > 0,
  );
  const ask = (change: Record<string, string>, isReplaced = false) =>
    route(addressOf(change), isReplaced);
  return (
    <>
      <div class="page-head">
        <PageHeading title="History" />
      </div>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
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
          <span>Moved to</span>
          <select
            value={asked['to_step']}
            onChange={(event) => ask({ to_step: event.currentTarget.value })}
          >
            <option value="">Any step</option>
            {STEP_VALUES.map((step) => (
              <option key={step} value={step}>
                {stepName(step)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <div class="list-line">
        <p class="muted figure">{data ? counted(data.meta.total_count, 'change') : ''}</p>
      </div>
      <PagedList
        rows={data?.objects}
        total={data?.meta.total_count ?? 0}
        error={error}
        reload={reload}
        offset={offset}
        limit={LIMIT}
        addressOf={(to) => addressOf({ offset: to === 0 ? '' : String(to) })}
        empty={
          <Empty icon="search" title="No change matches.">
            <p>
              <a href="/history">Show all changes</a>.
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <table class="list" aria-busy={isLoading}>
            <caption class="visually-hidden">Changes of tickets, the newest first</caption>
            <TableHead columns={['When', 'Ticket', 'From', 'To', 'Who', 'Why']} />
            <tbody>
              {rows.map((change) => (
                <tr key={`${change.ticket} ${change.seq}`}>
                  <td class="figure nobreak">
                    <time dateTime={change.created_at} title={exactTime(change.created_at)}>
                      {shortTime(change.created_at)}
                    </time>
                  </td>
                  <td>
                    <a data-row href={ticketAddress(idOf(change.ticket))}>
                      #{idOf(change.ticket)}
                    </a>
                    {change.subticket !== null && (
                      <span class="muted"> subticket {idOf(change.subticket)}</span>
                    )}
                  </td>
                  <td>
                    <StateBadge isPlain label={stepLabel(change.from_step)} />
                  </td>
                  <td>
                    <StateBadge isPlain label={stepLabel(change.to_step)} />
                  </td>
                  <td class="breakable">{change.actor}</td>
                  <td class="cell-why breakable">{change.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </>
  );
}
