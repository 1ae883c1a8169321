import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { namedSources, shownPackage } from '../../domain/packages/source-file.ts';
import { buildAddress, ticketAddress } from '../addresses.ts';
import { AttemptParts } from '../build/attempt-parts.tsx';
import { AttemptTabs, buildInAttempt } from '../build/attempt-tabs.tsx';
import { buildPlaceOf } from '../build/build-place.ts';
import { isOnItsWay, canRetry } from '../build/cancel-and-retry.ts';
import { CancelDialog, RetryDialog } from '../build/dialogs.tsx';
import { useBuildNews } from '../build/use-build-news.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { TellWhenEnded } from '../components/tell-when-ended.tsx';
import { Icon } from '../components/icon.tsx';
import { LoadingPage } from '../components/loading-page.tsx';
import { Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { counted } from '../format.ts';
import { isKeptUp } from '../server/page-visibility.ts';
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
  const [asked, setAsked] = useState<'cancel' | { retry: string | undefined }>();
  const reloadAll = () => {
    reload();
    attempts.reload();
  };

  useBuildNews(build);

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
  const shown = buildInAttempt(build, all, number);
  const mayRetry = may('build:write') && canRetry(build);
  return (
    <>
      <p class="crumbs">
        <a href="/tickets">Tickets</a> /{' '}
        <a href={ticketAddress(build.ticket_id)}>#{build.ticket_id}</a> / <span>Build {id}</span>
      </p>
      <div class="page-head build-head">
        <PageHeading
          title={isKeptUp.value ? `Build ${id}: ${buildLabel(build).word}` : `Build ${id}`}
          state={buildLabel(build)}
        >
          Build {id} <span class="title-more">{packagesOf(build)}</span>
        </PageHeading>
        <div class="actions">
          <TellWhenEnded
            of={[
              {
                what: `build-${id}`,
                end: `build-${id}-${build.attempt}`,
                hasEnded: build.finished_at !== null,
                title: `Build ${id}: ${packagesOf(build)}`,
                state: buildLabel(build).word,
                address: buildAddress(id),
              },
            ]}
          />
          {shown && shown.workflow_url !== null && (
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
      {attempts.error && (
        <ErrorNote what="The attempts" error={attempts.error} retry={attempts.reload} />
      )}
      <AttemptTabs build={build} attempts={all} shown={number} />
      {shown ? (
        <AttemptParts
          build={shown}
          events={{ ...loaded, events: loaded.events.filter((one) => one.attempt === number) }}
          askForEvents={hasFewBuilds || areEventsAsked ? undefined : () => askForEvents(true)}
          expected={expected}
          onRetry={
            mayRetry && number === build.attempt
              ? (architecture) => setAsked({ retry: architecture })
              : undefined
          }
        />
      ) : attempts.data ? (
        <Empty icon="unknown" title={`There is no attempt ${number}.`}>
          <p>
            <a href={buildAddress(id)}>Show the latest</a>.
          </p>
        </Empty>
      ) : (
        !attempts.error && <Skeleton lines={12} />
      )}
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
