import { useLocation } from 'preact-iso/router';
import { useEffect, useRef, useState } from 'preact/hooks';
import { STEP, stepToShow } from '../../domain/tickets/ticket.ts';
import { buildAddress, ticketAddress } from '../addresses.ts';
import { announce } from '../announce.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago } from '../components/relative-time.tsx';
import { LoadingPage } from '../components/loading-page.tsx';
import { ErrorNote } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TellWhenEnded, type Awaited } from '../components/tell-when-ended.tsx';
import { LandDialog } from '../landing/land-dialog.tsx';
import { LandingOfTicket } from '../landing/landing-of-ticket.tsx';
import { NoLanding } from '../landing/no-landing.tsx';
import { useLandings, type Landings } from '../landing/use-landings.ts';
import { may } from '../server/session.ts';
import type { FullTicket, Page, StatusChange } from '../server/api-types.ts';
import { readNewestPages } from '../server/read-pages.ts';
import { useResource } from '../server/use-resource.ts';
import { buildLabel, positionLabel } from '../states.ts';
import { Artifacts } from '../ticket/artifacts.tsx';
import { CloseDialog } from '../ticket/close-dialog.tsx';
import { FailureNote } from '../ticket/failure-note.tsx';
import { History } from '../ticket/history.tsx';
import { LinkDialog } from '../ticket/link-dialog.tsx';
import { PackageMatrix } from '../ticket/package-matrix.tsx';
import { RequestBuildDialog } from '../ticket/request-build-dialog.tsx';
import { SetStepDialog } from '../ticket/set-step-dialog.tsx';
import { TicketBuilds } from '../ticket/ticket-builds.tsx';
import { TicketLinks } from '../ticket/ticket-links.tsx';
import { Timeline } from '../ticket/timeline.tsx';
import { NotFoundPage } from './not-found-page.tsx';

/** The steps of tickets that are not open. */
const CLOSED: readonly string[] = [STEP.failed, STEP.complete];

/** One ticket: how it lands, or its step where nobody has asked for that; its builds, and its history. */
export function TicketPage({ id }: { id: string }) {
  return <TicketOf key={id} id={Number(id)} />;
}

function TicketOf({ id }: { id: number }) {
  const concerns = ({ ticket }: { ticket: number[] }) => ticket.includes(id);
  const known = useRef<readonly number[]>([]);
  const { data, error, reload } = useResource<FullTicket>(
    `/api/v1/fullticket/${id}/`,
    (change) => concerns(change) || change.build.some((build) => mayBeOurs(build, known.current)),
  );
  known.current = data?.builds.map((build) => build.id) ?? [];
  const history = useResource<Page<StatusChange>>(
    `/api/v1/ticket/${id}/history/?subtickets=true`,
    concerns,
    readNewestPages,
  );
  const { query, route } = useLocation();
  const wanted = Number(query['landing']);
  const landings = useLandings(id, Number.isSafeInteger(wanted) && wanted > 0 ? wanted : undefined);
  const landing = landings.shown;
  const [open, setOpen] = useState<'step' | 'build' | 'land' | 'link' | 'close'>();
  const reloadAll = () => {
    reload();
    history.reload();
    landings.reload();
  };

  if (error?.status === 404) return <NotFoundPage what={`There is no ticket ${id}`} />;
  if (!data || (!landings.loaded.data && !landings.loaded.error))
    return (
      <LoadingPage
        list={['/tickets', 'Tickets']}
        title={`Ticket ${id}`}
        error={error}
        retry={reload}
      />
    );

  const changes = history.data?.objects;
  const olderChanges = history.data?.meta.offset ?? 0;
  return (
    <>
      <p class="crumbs">
        <a href="/tickets">Tickets</a> / <span>#{id}</span>
        <NewLanding landings={landings} />
      </p>
      <div class="page-head">
        <PageHeading title={`${data.title} (#${id})`} state={positionLabel(data)}>
          {data.title}
        </PageHeading>
        <div class="actions">
          <TellWhenEnded of={endsOf(data)} />
          {may('build:write') && (
            <button
              type="button"
              class={`button ${landings.all.length > 0 ? '' : 'button-main'}`}
              disabled={!canLand(data, landings)}
              onClick={() => setOpen('land')}
            >
              Land this ticket
            </button>
          )}
          {may('ticket:write') && (
            <button type="button" class="button" onClick={() => setOpen('step')}>
              Set step
            </button>
          )}
          {may('ticket:write') && (
            <button type="button" class="button" onClick={() => setOpen('link')}>
              Link
            </button>
          )}
          {may('ticket:write') && (
            <button
              type="button"
              class="button"
              disabled={CLOSED.includes(data.current_workflow_step)}
              onClick={() => setOpen('close')}
            >
              Close
            </button>
          )}
          {may('build:write') && (
            <button type="button" class="button" onClick={() => setOpen('build')}>
              Request a build
            </button>
          )}
        </div>
      </div>
      <div class="byline">
        <StateBadge label={positionLabel(data)} />
        <span>
          by <span class="breakable">{data.owner}</span>
        </span>
        {data.bug_id !== '' && (
          <span>
            fixes{' '}
            <ExternalLink to={data.bug_id}>
              {/^\d+$/.test(data.bug_id) ? `bug #${data.bug_id}` : data.bug_id}
            </ExternalLink>
          </span>
        )}
        <span>
          created <Ago at={data.created_at} />
        </span>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {data.description !== '' && <p class="description">{data.description}</p>}
      <TicketLinks ticket={data} />
      {landings.loaded.error && (
        <ErrorNote
          what="The landing"
          error={landings.loaded.error}
          retry={landings.loaded.reload}
        />
      )}
      {data.failure_reason !== landing?.failure?.message && <FailureNote ticket={data} />}
      {landing ? (
        <LandingOfTicket
          key={landing.id}
          landing={landing}
          others={landings.all.filter((one) => one.id !== landing.id)}
          onDone={reloadAll}
        />
      ) : landings.apart ? (
        <NoLanding ticketId={id} {...landings.apart} />
      ) : (
        <Timeline ticket={data} changes={olderChanges > 0 ? undefined : changes} />
      )}
      <PackageMatrix ticket={data} />
      <TicketBuilds ticketId={id} builds={data.builds} onDone={reloadAll} />
      <Artifacts ticket={data} />
      {changes && <History changes={changes} older={olderChanges} ticket={data} />}
      {history.error && (
        <ErrorNote what="The history" error={history.error} retry={history.reload} />
      )}
      {open === 'link' && (
        <LinkDialog ticketId={data.id} onClose={() => setOpen(undefined)} onDone={reloadAll} />
      )}
      {open === 'close' && (
        <CloseDialog ticket={data} onClose={() => setOpen(undefined)} onDone={reloadAll} />
      )}
      {open === 'step' && (
        <SetStepDialog ticket={data} onClose={() => setOpen(undefined)} onDone={reloadAll} />
      )}
      {open === 'land' && (
        <LandDialog
          ticket={data}
          last={landings.all[0]}
          onClose={() => setOpen(undefined)}
          onDone={(made) => {
            // The new landing is what the reader wants to see, whichever the address names.
            if (query['landing'] !== undefined) route(ticketAddress(id));
            landings.show(made);
            reloadAll();
          }}
        />
      )}
      {open === 'build' && <RequestBuildDialog ticket={data} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** A landing that came while the page is read: nothing moves for it until it is asked for. */
function NewLanding({ landings: { news, show } }: { landings: Landings }) {
  useEffect(() => {
    if (news !== undefined) announce(`Landing ${news} was requested`);
  }, [news]);
  if (news === undefined) return null;
  return (
    <button type="button" class="button button-news crumbs-news" onClick={() => show(news)}>
      Landing {news} was requested: show it
    </button>
  );
}

/** Whether nobody lands the ticket now, and it has not landed. */
function canLand(ticket: FullTicket, { all }: Landings): boolean {
  return (
    ticket.current_workflow_step !== STEP.complete &&
    all.every((landing) => landing.finished_at !== null)
  );
}

/** A build that is known, or one that is newer than all that are. */
function mayBeOurs(build: number, known: readonly number[]): boolean {
  return known.includes(build) || build > Math.max(0, ...known);
}

/** What of a ticket ends: its builds, and the ticket itself. */
function endsOf(ticket: FullTicket): Awaited[] {
  const { id, title, builds, updated_at: updatedAt } = ticket;
  return [
    ...builds.map((build) => ({
      what: `build-${build.id}`,
      end: `build-${build.id}-${build.attempt}`,
      hasEnded: build.finished_at !== null,
      title: `Build ${build.id} of #${id}: ${title}`,
      state: buildLabel(build).word,
      address: buildAddress(build.id),
    })),
    {
      what: `ticket-${id}`,
      end: `ticket-${id}-${updatedAt}`,
      hasEnded: CLOSED.includes(stepToShow(ticket)),
      title: `Ticket #${id}: ${title}`,
      state: positionLabel(ticket).word,
      address: ticketAddress(id),
    },
  ];
}
