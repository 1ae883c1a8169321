import { useLocation } from 'preact-iso/router';
import { useEffect, useState } from 'preact/hooks';
import { namedSources, shownPackage } from '../../domain/packages/source-file.ts';
import { announce } from '../announce.ts';
import { buildAddress, ticketAddress } from '../addresses.ts';
import { AttemptTabs, buildInAttempt } from '../build/attempt-tabs.tsx';
import { buildPlaceOf } from '../build/build-place.ts';
import { BuildsSection } from '../build/builds-section.tsx';
import { BuiltPackages } from '../build/built-packages.tsx';
import { isOnItsWay, canRetry } from '../build/cancel-and-retry.ts';
import { CancelDialog, RetryDialog } from '../build/dialogs.tsx';
import { EventList } from '../build/event-list.tsx';
import { RequestDetails } from '../build/request-details.tsx';
import { Verdict } from '../build/verdict.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { TellWhenEnded } from '../components/tell-when-ended.tsx';
import { Icon } from '../components/icon.tsx';
import { LoadingPage } from '../components/loading-page.tsx';
import { ErrorNote } from '../components/notes.tsx';
import { count, counted } from '../format.ts';
import { may } from '../server/session.ts';
import type { Attempt, Build, ExpectedDuration, Page } from '../server/api-types.ts';
import { useEvents } from '../server/use-events.ts';
import { useResource } from '../server/use-resource.ts';
import { buildLabel } from '../states.ts';
import { NotFoundPage } from './not-found-page.tsx';

/** Events of more builds than this are loaded when they are asked for: each tells of all of them. */
const FEW_BUILDS = 60;
/** The heading names so many packages. */
const MAX_NAMED = 2;

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
  const { query, route } = useLocation();
  const [areEventsAsked, askForEvents] = useState(false);
  const hasFewBuilds = build !== undefined && build.builds.length <= FEW_BUILDS;
  const loaded = useEvents(id, build?.finished_at === null, hasFewBuilds || areEventsAsked);
  const { events } = loaded;
  const [asked, setAsked] = useState<'cancel' | { retry: string | undefined }>();
  const reloadAll = () => {
    reload();
    attempts.reload();
  };

  const word = build && buildLabel(build).word;
  useEffect(() => {
    if (word) announce(`Build ${id}: ${word}`);
  }, [word]);

  if (error?.status === 404) return <NotFoundPage what={`There is no build ${id}`} />;
  if (!build)
    return (
      <LoadingPage
        list={['/tickets', 'Tickets']}
        title={`Build ${id}`}
        error={error}
        retry={reload}
      />
    );

  const all = attempts.data?.objects ?? [];
  const number = buildPlaceOf(query).attempt ?? build.attempt;
  const shown = buildInAttempt(
    build,
    all.find((one) => one.attempt === number),
  );
  const mayRetry = may('build:write') && canRetry(build);
  const own = events.filter(({ attempt }) => attempt === shown.attempt);
  return (
    <>
      <p class="crumbs">
        <a href="/tickets">Tickets</a> /{' '}
        <a href={ticketAddress(build.ticket_id)}>#{build.ticket_id}</a> / <span>Build {id}</span>
      </p>
      <div class="page-head build-head">
        <PageHeading title={`Build ${id}: ${word}`} state={buildLabel(build)}>
          Build {id} <span class="title-more">{packagesOf(build)}</span>
        </PageHeading>
        <div class="actions">
          <TellWhenEnded
            of={[
              {
                end: `build-${id}-${build.attempt}`,
                hasEnded: build.finished_at !== null,
                title: `Build ${id}: ${packagesOf(build)}`,
                state: buildLabel(build).word,
                address: buildAddress(id),
              },
            ]}
          />
          {shown.workflow_url !== null && (
            <a class="button" href={shown.workflow_url} target="_blank" rel="noopener noreferrer">
              Workflow
              <Icon name="outward" size={12} />
              <span class="visually-hidden"> in Temporal's UI (opens elsewhere)</span>
            </a>
          )}
          {may('build:write') && isOnItsWay(build) && (
            <button type="button" class="button" onClick={() => setAsked('cancel')}>
              Cancel
            </button>
          )}
          {mayRetry && (
            <button
              type="button"
              class={`button ${isRetryAdvised(build) ? 'button-main' : ''}`}
              onClick={() => setAsked({ retry: undefined })}
            >
              Retry
            </button>
          )}
        </div>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      <AttemptTabs build={build} attempts={all} shown={shown.attempt} />
      <Verdict key={shown.attempt} build={shown} />
      <BuildsSection
        build={shown}
        events={own}
        expected={expected}
        onRetry={
          mayRetry && shown.attempt === build.attempt
            ? (architecture) => setAsked({ retry: architecture })
            : undefined
        }
      />
      <BuiltPackages build={shown} />
      <div class="build-columns">
        <section aria-labelledby="facts">
          <h2 id="facts">Request</h2>
          <RequestDetails build={shown} />
        </section>
        <section aria-labelledby="events">
          <h2 id="events">Events</h2>
          {hasFewBuilds || areEventsAsked ? (
            <EventList
              key={shown.attempt}
              {...loaded}
              events={own}
              isOpen={shown.finished_at === null}
            />
          ) : (
            <p class="card events-asked">
              <button type="button" class="button" onClick={() => askForEvents(true)}>
                Show the events
              </button>
              <span class="muted">Each tells of all {count(build.builds.length)} builds.</span>
            </p>
          )}
        </section>
      </div>
      {asked === 'cancel' && (
        <CancelDialog build={build} onClose={() => setAsked(undefined)} onDone={reloadAll} />
      )}
      {asked && asked !== 'cancel' && (
        <RetryDialog
          build={build}
          architecture={asked.retry}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            // The new attempt is what the reader wants to see, whichever the address names.
            route(buildAddress(id));
            reloadAll();
          }}
        />
      )}
    </>
  );
}

/** Whether a retry is what helps. What somebody cancelled ended as it should. */
function isRetryAdvised({ failure }: Build): boolean {
  return failure !== null && failure.retryable && failure.class !== 'cancelled';
}

/**
 * The packages of a build: as the PPA names them, where it has all; before that, by the names of its source files. Of
 * many, how many they are: the heading keeps to one line.
 */
function packagesOf(build: Build): string {
  const inPpa = build.builds.map(({ package: source, version }) => ({ source, version }));
  const inOrder = build.sequence.map(({ package: source, version }) => ({ source, version }));
  const known = inOrder.length > 0 ? inOrder : inPpa;
  const packages = known.length > 0 ? known : namedSources(build.source_packages);
  const names = [...new Set(packages.map(shownPackage))];
  return names.length > MAX_NAMED ? counted(names.length, 'package') : names.join(', ');
}
