import { buildAddress } from '../addresses.ts';
import { buildsAddress } from '../builds/builds-query.ts';
import { ListNews } from '../components/list-line.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Command, Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { Ago } from '../components/relative-time.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { count } from '../format.ts';
import type { Buildsummary, Landing, Page } from '../server/api-types.ts';
import { ownAddress } from '../server/session.ts';
import { useResource, type Resource } from '../server/use-resource.ts';
import { useStableList } from '../server/use-stable-list.ts';
import { buildLabel } from '../states.ts';
import { NewTicketButton } from '../tickets/new-ticket-button.tsx';

const MAX_SHOWN = 8;

/** What this is, what needs the reader, what failed last, and how to begin. */
export function HomePage() {
  const isBuild = ({ build }: { build: readonly number[] }) => build.length > 0;
  const resource = '/api/v1/buildsummary/';
  const own = ownTickets();
  const attention = useStableList<Buildsummary>(
    `${resource}?latest_of=ticket&phase=failed&ticket__current_workflow_step__lt=999&ticket__failed_at_step__isnull=true${own}&order_by=-finished_at&limit=${MAX_SHOWN}`,
    { resource, concerns: ({ build, ticket }) => build.length + ticket.length > 0 },
  );
  const failed = useStableList<Buildsummary>(
    `${resource}?phase=failed&order_by=-finished_at&limit=${MAX_SHOWN}`,
    { resource, concerns: isBuild },
  );
  const active = useResource<Page<Buildsummary>>(
    `${resource}?finished_at__isnull=true&order_by=-id&limit=1`,
    isBuild,
  );
  const approving = useResource<Page<Landing>>(
    '/api/v1/landing/?phase=approving&limit=5',
    ({ landing }) => landing.length > 0,
  );
  return (
    <>
      <div class="page-head">
        <PageHeading title="Airline" />
        <NewTicketButton />
      </div>
      <p class="lead">
        Airline takes source packages of Debian and Ubuntu as tickets, builds them in PPAs, tests
        them together and lands them; each step, and why it waits or failed, is on these pages.
      </p>
      <ul class="parts home-figures" aria-label="Now">
        <Figure
          of={active}
          words={['build under way', 'builds under way']}
          to={buildsAddress({ show: 'active', order: '-id' })}
        />
        <Figure
          of={failed.loaded}
          words={['failed build', 'failed builds']}
          to={buildsAddress({ show: 'failed' })}
        />
        <Figure
          of={approving}
          words={['landing waits for an approval', 'landings wait for an approval']}
          to="/landings"
        />
      </ul>
      <div class="home comes-first">
        <section class="comes-first" aria-labelledby="attention">
          <div class="section-head">
            <h2 id="attention">{own === '' ? 'Needs attention' : 'Needs your attention'}</h2>
            <ListNews {...attention}>
              Changed: reload<span class="visually-hidden"> what needs attention</span>
            </ListNews>
          </div>
          <p class="muted">Open tickets whose latest build failed.</p>
          <BuildRows of={attention} empty="Nothing does now." />
        </section>
        <section aria-labelledby="failures">
          <div class="section-head">
            <h2 id="failures">Latest failures</h2>
            <ListNews {...failed}>
              Changed: reload<span class="visually-hidden"> the latest failures</span>
            </ListNews>
            <a href={buildsAddress({ show: 'failed' })}>All</a>
          </div>
          <p class="muted">Of everybody; what was cancelled is not among them.</p>
          <BuildRows of={failed} empty="No build has failed." />
        </section>
      </div>
      <section aria-labelledby="first">
        <h2 id="first">Submit a package</h2>
        <ol class="steps">
          <li>
            Make a signed source package: <code>debuild -S</code>, in its folder.
          </li>
          <li>
            Submit it, from the same folder. That makes a ticket, uploads the sources and follows
            the build:
            <Command>
              airline submit ../hello_2.10-3_source.changes --ppa ppa:you/landing --series noble
              --wait
            </Command>
          </li>
          <li>
            Look at it here, under <a href="/tickets">tickets</a> and <a href="/builds">builds</a>,
            or by <code>airline build why</code>. The{' '}
            <a href="/help/tutorial.md" target="_top">
              tutorial
            </a>{' '}
            does it step by step; there is <a href="/help">more to read</a>.
          </li>
        </ol>
      </section>
    </>
  );
}

/** The filter of the reader's own tickets, where it is known who that is. */
function ownTickets(): string {
  const owner = ownAddress();
  return owner ? `&ticket__owner=${encodeURIComponent(owner)}` : '';
}

/** @param given.words what is counted, of one and of more */
function Figure({
  of,
  words,
  to,
}: {
  of: Resource<Page<unknown>>;
  words: readonly [one: string, many: string];
  to: string;
}) {
  return (
    <li class="card">
      <a class="figure-link" href={to}>
        <span class="figure-value">{of.data ? count(of.data.meta.total_count) : '–'}</span>
        <span class="muted">{words[of.data?.meta.total_count === 1 ? 0 : 1]}</span>
      </a>
    </li>
  );
}

function BuildRows({
  of: {
    rows,
    loaded: { error, reload },
  },
  empty,
}: {
  of: ReturnType<typeof useStableList<Buildsummary>>;
  empty: string;
}) {
  if (error && !rows) return <ErrorNote error={error} retry={reload} />;
  if (!rows) return <Skeleton lines={4} />;
  if (rows.length === 0) return <Empty icon="done" title={empty} />;
  return (
    <ul class="card rows">
      {rows.map((build) => (
        <li key={build.id}>
          <a data-row class="cut" href={buildAddress(build.id)} title={build.failure?.message}>
            <span class="number">{build.id}</span> {build.packages.join(', ')}
          </a>
          {build.failure ? (
            <code class="cut">{build.failure.class}</code>
          ) : (
            <StateBadge isPlain label={buildLabel(build)} />
          )}
          <span class="muted">
            <Ago at={build.finished_at ?? build.requested_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
