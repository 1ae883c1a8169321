import { useEffect, useState } from 'preact/hooks';
import { namedSources, shownPackage } from '../../domain/source-file.ts';
import { announce } from '../announce.ts';
import { ticketAddress } from '../addresses.ts';
import { Architectures } from '../build/architectures.tsx';
import { CancelDialog, RetryDialog } from '../build/dialogs.tsx';
import { EventList } from '../build/event-list.tsx';
import { RequestDetails } from '../build/request-details.tsx';
import { Verdict } from '../build/verdict.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNote, Skeleton } from '../components/notes.tsx';
import { LogSection } from '../log/log-section.tsx';
import { may } from '../server/session.ts';
import type { Attempt, Build, ExpectedDuration, Page } from '../server/api-types.ts';
import { useEvents } from '../server/use-events.ts';
import { useResource } from '../server/use-resource.ts';
import { buildLabel } from '../states.ts';
import { canCancel, canRetry } from '../ticket/ticket-builds.tsx';
import { NotFoundPage } from './not-found-page.tsx';

/** One build: what is happening, why it failed, and its logs. */
export function BuildPage({ id }: { id: string }) {
  return <BuildOf key={id} id={Number(id)} />;
}

function BuildOf({ id }: { id: number }) {
  const address = `/api/v1/build/${id}/`;
  const concerns = ({ build }: { build: number[] }) => build.includes(id);
  const { data: build, error, reload } = useResource<Build>(address, concerns);
  const attempts = useResource<Page<Attempt>>(`${address}attempts/`, concerns);
  const expected = useResource<Page<ExpectedDuration>>(`${address}expected/`, concerns);
  const loaded = useEvents(id, build?.finished_at === null);
  const { events } = loaded;
  const [asked, setAsked] = useState<'cancel' | 'retry'>();
  const reloadAll = () => {
    reload();
    attempts.reload();
  };

  const word = build && buildLabel(build).word;
  useEffect(() => {
    if (word) announce(`Build ${id}: ${word}`);
  }, [word]);
  // An event says that the row has changed, sooner than the stream of changes does.
  const lastSeq = events.at(-1)?.seq;
  useEffect(() => {
    if (lastSeq !== undefined && build) reloadAll();
  }, [lastSeq]);

  if (error?.status === 404) return <NotFoundPage what={`There is no build ${id}`} />;
  if (!build)
    return (
      <>
        <PageHeading title={`Build ${id}`} />
        {error ? <ErrorNote error={error} retry={reload} /> : <Skeleton lines={12} />}
      </>
    );

  const own = events.filter(({ attempt }) => attempt === build.attempt);
  return (
    <>
      <p class="crumbs">
        <a href="/tickets">Tickets</a> /{' '}
        <a href={ticketAddress(build.ticket_id)}>#{build.ticket_id}</a> / <span>Build {id}</span>
      </p>
      <div class="page-head">
        <PageHeading title={`Build ${id}`}>
          Build {id} <span class="title-more">{packagesOf(build)}</span>
        </PageHeading>
        <div class="actions">
          {build.workflow_url !== null && (
            <a class="button" href={build.workflow_url} target="_blank" rel="noopener noreferrer">
              Workflow
              <Icon name="outward" size={12} />
              <span class="visually-hidden"> in Temporal's UI (opens elsewhere)</span>
            </a>
          )}
          {may('build:write') && canCancel(build) && (
            <button type="button" class="button" onClick={() => setAsked('cancel')}>
              Cancel
            </button>
          )}
          {may('build:write') && canRetry(build) && (
            <button
              type="button"
              class={`button ${build.failure?.retryable ? 'button-main' : ''}`}
              onClick={() => setAsked('retry')}
            >
              Retry
            </button>
          )}
        </div>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      <Verdict build={build} />
      <div class="build-columns">
        <section aria-labelledby="architectures">
          <h2 id="architectures">Architectures</h2>
          <Architectures build={build} events={own} expected={expected} />
        </section>
        <section aria-labelledby="facts">
          <h2 id="facts">Request</h2>
          <RequestDetails build={build} attempts={attempts.data?.objects ?? []} />
        </section>
      </div>
      <section aria-labelledby="events">
        <h2 id="events">Events</h2>
        <EventList {...loaded} isOpen={build.finished_at === null} />
      </section>
      <LogSection build={build} />
      {asked === 'cancel' && (
        <CancelDialog build={build} onClose={() => setAsked(undefined)} onDone={reloadAll} />
      )}
      {asked === 'retry' && (
        <RetryDialog build={build} onClose={() => setAsked(undefined)} onDone={reloadAll} />
      )}
    </>
  );
}

/** The packages of a build: as the PPA names them, where it has all; before that, by the names of its source files. */
function packagesOf(build: Build): string {
  const inPpa = build.builds.map(({ package: source, version }) => ({ source, version }));
  const inOrder = build.sequence.map(({ package: source, version }) => ({ source, version }));
  const known = inOrder.length > 0 ? inOrder : inPpa;
  const packages = known.length > 0 ? known : namedSources(build.source_packages);
  return [...new Set(packages.map(shownPackage))].join(', ');
}
