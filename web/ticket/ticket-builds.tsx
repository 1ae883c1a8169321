import { useState } from 'preact/hooks';
import { durationText } from '../../domain/text/quantity-text.ts';
import { buildAddress } from '../addresses.ts';
import { isOnItsWay, canRetry } from '../build/cancel-and-retry.ts';
import { CancelDialog, RetryDialog } from '../build/dialogs.tsx';
import { Ago, Elapsed } from '../components/relative-time.tsx';
import { Command, Empty } from '../components/notes.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { may } from '../server/session.ts';
import type { Build } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';

/** The builds of a ticket, the newest first, and what can be done to each. */
export function TicketBuilds({
  ticketId,
  builds,
  onDone,
}: {
  ticketId: number;
  builds: readonly Build[];
  onDone: () => void;
}) {
  const [asked, setAsked] = useState<{ build: Build; what: 'cancel' | 'retry' }>();
  const close = () => setAsked(undefined);
  return (
    <>
      <RowsSection
        id="builds"
        title="Builds"
        rows={builds.toSorted((one, other) => other.id - one.id)}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="queued" title="No build was requested yet.">
            <p>The button above requests one, and so does the command:</p>
            <Command>{`airline build request ${ticketId} --ppa ppa:you/landing --series noble`}</Command>
          </Empty>
        }
      >
        {(held) => (
          <table class="list builds-of-ticket">
            <caption class="visually-hidden">Builds of the ticket</caption>
            <TableHead
              columns={[
                'Build',
                'State',
                'For',
                'Requested',
                'Time',
                <span key="actions" class="visually-hidden">
                  Actions
                </span>,
              ]}
            />
            <tbody>
              {held.map((build) => (
                <tr key={build.id}>
                  <td class="cell-main">
                    <a data-row href={buildAddress(build.id)}>
                      Build {build.id}
                    </a>
                    {build.attempt > 1 && <span class="muted"> attempt {build.attempt}</span>}
                  </td>
                  <td>
                    <StateBadge label={buildLabel(build)} />
                  </td>
                  <td>
                    {build.series} in <span class="breakable">{build.ppa}</span>
                  </td>
                  <td>
                    <Ago at={build.requested_at} />
                  </td>
                  <td class="figure">
                    {build.finished_at === null ? (
                      <Elapsed since={build.requested_at} />
                    ) : (
                      durationText(Date.parse(build.finished_at) - Date.parse(build.requested_at))
                    )}
                  </td>
                  <td class="cell-actions">
                    {may('build:write') && isOnItsWay(build) && (
                      <button
                        type="button"
                        class="button"
                        onClick={() => setAsked({ build, what: 'cancel' })}
                      >
                        Cancel<span class="visually-hidden"> build {build.id}</span>
                      </button>
                    )}
                    {may('build:write') && canRetry(build) && (
                      <button
                        type="button"
                        class="button"
                        onClick={() => setAsked({ build, what: 'retry' })}
                      >
                        Retry<span class="visually-hidden"> build {build.id}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </RowsSection>
      {asked?.what === 'cancel' && (
        <CancelDialog build={asked.build} onClose={close} onDone={onDone} />
      )}
      {asked?.what === 'retry' && (
        <RetryDialog build={asked.build} onClose={close} onDone={onDone} />
      )}
    </>
  );
}
