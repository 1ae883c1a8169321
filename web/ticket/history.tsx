import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import { Ago } from '../components/relative-time.tsx';
import { Empty } from '../components/notes.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { counted } from '../format.ts';
import type { FullTicket, StatusChange } from '../server/api-types.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { pastStepLabel } from '../states.ts';

/**
 * Who moved the ticket and its packages from where to where, when and why; the newest first.
 *
 * @param changes in order
 * @param older how many before them are left out
 */
export function History({
  changes,
  older,
  ticket,
}: {
  changes: readonly StatusChange[];
  older: number;
  ticket: FullTicket;
}) {
  const names = new Map(ticket.subtickets.map((one) => [one.id, nameOfSubject(one)]));
  return (
    <RowsSection
      id="history"
      title="History"
      rows={changes.toReversed()}
      keyOf={({ seq }) => seq}
      empty={
        <Empty icon="queued" title="Nothing has moved yet.">
          <p>Each change of step and status is kept here for good: who, when, and why.</p>
        </Empty>
      }
    >
      {(held) => (
        <>
          <ol class="history">
            {held.map((change) => (
              <li key={change.seq}>
                <span class="history-when">
                  <Ago at={change.created_at} />
                </span>
                <span class="history-what">
                  {change.subticket !== null && (
                    <b class="breakable">{names.get(idOfUri(change.subticket)) ?? 'a package'} </b>
                  )}
                  <StateBadge label={pastStepLabel(change.from_step, change.from_status)} isPlain />
                  <span class="visually-hidden"> to </span>
                  <span aria-hidden="true"> → </span>
                  <StateBadge label={pastStepLabel(change.to_step, change.to_status)} isPlain />
                  {change.from_step === change.to_step && (
                    <span class="muted">
                      {' '}
                      (status {change.from_status} → {change.to_status})
                    </span>
                  )}
                </span>
                <span class="history-who">
                  <span class="breakable">{change.actor}</span>
                  {change.reason !== '' && <span class="history-why">“{change.reason}”</span>}
                </span>
              </li>
            ))}
          </ol>
          {older > 0 && (
            <p class="muted">
              {counted(older, 'older change is', 'older changes are')} not shown here.{' '}
              <a href={`/history?${earlierThan(ticket.id, changes[0])}`}>Changes before these</a>
            </p>
          )}
        </>
      )}
    </RowsSection>
  );
}

function earlierThan(ticketId: number, first: StatusChange | undefined): string {
  const until = first?.created_at ?? '';
  return `${new URLSearchParams({ ticket: String(ticketId), kind: 'step', until })}`;
}
