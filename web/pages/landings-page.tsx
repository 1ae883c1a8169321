import { useLocation } from 'preact-iso/router';
import { LANDING_PHASES, isOver } from '../../domain/landings/landing-phase.ts';
import { targetFilter } from '../../domain/landings/target-filter.ts';
import { ANY_DISTRIBUTION, readPpa } from '../../domain/packages/ppa.ts';
import { landingAddress, offsetIn } from '../addresses.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago, Elapsed } from '../components/relative-time.tsx';
import { ListCount, ListLine } from '../components/list-line.tsx';
import { Command, Empty } from '../components/notes.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { landingLabel, phaseLabel } from '../landing/labels.ts';
import { packagesText, targetText } from '../landing/landing-texts.ts';
import type { Landing } from '../server/api-types.ts';
import { useStableList } from '../server/use-stable-list.ts';

const LIMIT = 25;
const UNDER_WAY = LANDING_PHASES.filter((phase) => !isOver(phase) && phase !== 'approving');

/** What is asked of the list; the address has all of it. */
type Asked = { show: string; target: string; offset: number };

/** The landings, as filtered and paged in the address, live; those that wait for a person come first. */
export function LandingsPage() {
  const { query, route } = useLocation();
  const asked = readAsked(query);
  const ask = (change: Partial<Asked>, isReplaced = false) =>
    route(pageAddress({ ...asked, offset: 0, ...change }), isReplaced);
  const isOpen = asked.show === 'open';
  return (
    <>
      <div class="page-head">
        <PageHeading title="Landings" />
        <div class="actions">
          <a class="button" href="/pool">
            Pool of PPAs
          </a>
        </div>
      </div>
      <form class="filters filters-two" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Target</span>
          <DelayedInput
            isSearch
            value={asked.target}
            placeholder="Any PPA or distribution"
            onValue={(target) => ask({ target }, true)}
          />
        </label>
        <label class="field">
          <span>Show</span>
          <select value={asked.show} onChange={(event) => ask({ show: event.currentTarget.value })}>
            <option value="open">Not ended</option>
            <option value="all">All landings</option>
            {LANDING_PHASES.map((phase) => (
              <option key={phase} value={phase}>
                {phaseLabel(phase).word}
              </option>
            ))}
          </select>
        </label>
      </form>
      {isOpen && (
        <Rows
          title="Waiting for a person"
          asked={{ ...asked, show: 'approving', offset: 0 }}
          phases={['approving']}
          empty={<p class="muted">No landing waits for an approval.</p>}
        />
      )}
      <Rows
        title={isOpen ? 'On their way' : 'Landings'}
        asked={asked}
        phases={isOpen ? UNDER_WAY : asked.show === 'all' ? [] : [asked.show]}
        empty={<NoLandings asked={asked} />}
      />
    </>
  );
}

/**
 * A list of landings, the newest first.
 *
 * @param asked which page of it; its other pages are those of the list that shows the same
 * @param phases those that they are in; any where there is none
 */
function Rows({
  title,
  asked,
  phases,
  empty,
}: {
  title: string;
  asked: Asked;
  phases: readonly string[];
  empty: preact.ComponentChildren;
}) {
  const list = useStableList<Landing>(listAddress(asked, phases), {
    resource: '/api/v1/landing/',
    concerns: ({ landing }) => landing.length > 0,
  });
  const { hasNews, showNews, loaded } = list;
  const id = title.replaceAll(' ', '-').toLowerCase();
  return (
    <section class="comes-first" aria-labelledby={id}>
      <ListLine hasNews={hasNews} showNews={showNews}>
        <h2 id={id}>{title}</h2>
        {!hasNews && <ListCount list={list} noun="landing" />}
      </ListLine>
      <PagedList
        list={list}
        offset={asked.offset}
        limit={LIMIT}
        addressOf={(offset) => pageAddress({ ...asked, offset })}
        empty={empty}
      >
        {(shown) => (
          <table class="list landings" aria-busy={loaded.isLoading}>
            <caption class="visually-hidden">{title}</caption>
            <TableHead columns={['Packages', 'State', 'Target', 'Requested by', 'Time']} />
            <tbody>
              {shown.map((landing) => (
                <Row key={landing.id} landing={landing} />
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </section>
  );
}

function Row({ landing }: { landing: Landing }) {
  return (
    <tr>
      <td class="cell-main">
        <a data-row href={landingAddress(landing)}>
          <span class="number">#{landing.ticket_id}</span> {packagesText(landing)}
        </a>
      </td>
      <td>
        <StateBadge label={landingLabel(landing)} />
      </td>
      <td class="breakable">{targetText(landing)}</td>
      <td class="cell-owner">
        <span class="cut" title={landing.requested_by}>
          {landing.requested_by}
        </span>
      </td>
      <td class="cell-time">
        {landing.finished_at === null ? (
          <Elapsed since={landing.phase_since} />
        ) : (
          <Ago at={landing.finished_at} />
        )}
      </td>
    </tr>
  );
}

function NoLandings({ asked }: { asked: Asked }) {
  if (asked.show !== 'open' || asked.target !== '')
    return (
      <Empty icon="search" title="No landing matches.">
        <p>
          <a href="/landings?show=all">Show all landings</a>
        </p>
      </Empty>
    );
  return (
    <Empty icon="landing" title="Nothing is on its way.">
      <p>A landing takes a ticket into a target. The page of a ticket asks for one, and so does:</p>
      <Command>airline ticket land 7 --ppa ppa:you/landing --series noble --target ubuntu</Command>
      <p>
        Or look at <a href="/landings?show=all">all landings</a>.
      </p>
    </Empty>
  );
}

function readAsked(query: Record<string, string>): Asked {
  return {
    show: query['show'] ?? 'open',
    target: query['target'] ?? '',
    offset: offsetIn(query),
  };
}

/** The address of the list with these filters; defaults are left out. */
function pageAddress({ show, target, offset }: Asked): string {
  const query = new URLSearchParams();
  if (show !== 'open') query.set('show', show);
  if (target !== '') query.set('target', target);
  if (offset > 0) query.set('offset', String(offset));
  const text = query.toString();
  return text ? `/landings?${text}` : '/landings';
}

function listAddress({ target, offset }: Asked, phases: readonly string[]): string {
  const query = new URLSearchParams({
    limit: String(LIMIT),
    offset: String(offset),
    order_by: '-id',
  });
  const ppa = readPpa(target, ANY_DISTRIBUTION);
  const filter = ppa ? targetFilter(ppa) : { target__icontains: target };
  if (target !== '') for (const [name, value] of Object.entries(filter)) query.set(name, value);
  if (phases.length > 0) query.set('phase__in', phases.join(','));
  return `/api/v1/landing/?${query}`;
}
