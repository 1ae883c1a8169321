import { useLocation } from 'preact-iso/router';
import { useEffect, useState } from 'preact/hooks';
import { buildAddress, ticketAddress } from '../addresses.ts';
import { announce } from '../announce.ts';
import {
  AGES,
  CLASSES,
  buildsAddress,
  isNarrowed,
  LIMIT,
  listAddress,
  readBuildsQuery,
  SHOWN,
  type BuildsQuery,
} from '../builds/builds-query.ts';
import { BulkDialog, isOpenTo, type Bulk } from '../builds/bulk.tsx';
import { SavedViews } from '../builds/saved-views.tsx';
import { readClock } from '../server/api-clock.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { FoldedFilters } from '../components/folded-filters.tsx';
import { Empty } from '../components/notes.tsx';
import { ListCount, ListLine } from '../components/list-line.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { Ago, Elapsed } from '../components/relative-time.tsx';
import { SortHead } from '../components/sort-head.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { counted } from '../format.ts';
import type { Buildsummary } from '../server/api-types.ts';
import { readWholePage } from '../server/read-pages.ts';
import { may } from '../server/session.ts';
import { useStableList } from '../server/use-stable-list.ts';
import { buildLabel } from '../states.ts';

/** The builds, as filtered, sorted and paged in the address, live. */
export function BuildsPage() {
  const { query, route } = useLocation();
  const asked = readBuildsQuery(query);
  const address = buildsAddress(asked);
  const list = useStableList<Buildsummary>(address, {
    resource: '/api/v1/buildsummary/',
    concerns: ({ build }) => build.length > 0,
    // A page that was left open for a day shows the last day, too.
    read: (_, signal) => readWholePage(listAddress(asked, readClock()), signal),
  });
  const { rows, total, hasNews, showNews, loaded } = list;
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [bulk, setBulk] = useState<Bulk>();
  const ask = (change: Partial<BuildsQuery>, isReplaced = false) =>
    route(buildsAddress({ ...asked, offset: 0, ...change }), isReplaced);

  useEffect(() => setChosen(new Set()), [address]);
  useEffect(() => {
    if (rows && !hasNews) announce(counted(total, 'build'));
  }, [total, rows === undefined, hasNews]);

  const chosenRows = rows?.filter(({ id }) => chosen.has(id)) ?? [];
  const maySteer = may('build:write');
  return (
    <>
      <div class="page-head">
        <PageHeading title="Builds" />
      </div>
      <SavedViews asked={asked} />
      <Filters asked={asked} ask={ask} />
      <ListLine hasNews={hasNews} showNews={showNews}>
        {chosenRows.length > 0 ? (
          <Chosen rows={chosenRows} onBulk={setBulk} onClear={() => setChosen(new Set())} />
        ) : (
          <ListCount list={list} noun="build" />
        )}
      </ListLine>
      <PagedList
        list={list}
        offset={asked.offset}
        limit={LIMIT}
        addressOf={(offset) => buildsAddress({ ...asked, offset })}
        empty={<NoBuilds asked={asked} />}
      >
        {(shown) => (
          <table class="list builds" aria-busy={loaded.isLoading}>
            <caption class="visually-hidden">Builds</caption>
            <thead>
              <tr>
                {maySteer && (
                  <th scope="col" class="cell-choose">
                    <Choice
                      label="Choose all on this page"
                      isChosen={chosenRows.length === shown.length}
                      onChoose={(on) => setChosen(new Set(on ? shown.map(({ id }) => id) : []))}
                    />
                  </th>
                )}
                <SortHead name="Build" order="id" firstDown {...sorting(asked)} />
                <SortHead name="State" order={undefined} {...sorting(asked)} />
                <SortHead name="Why" order={undefined} {...sorting(asked)} />
                <SortHead name="PPA" order="ppa" {...sorting(asked)} />
                <SortHead name="Series" order="series" {...sorting(asked)} />
                <SortHead name="Ticket" order="ticket" firstDown {...sorting(asked)} />
                <SortHead name="Requested" order="requested_at" firstDown {...sorting(asked)} />
              </tr>
            </thead>
            <tbody>
              {shown.map((build) => (
                <Row
                  key={build.id}
                  build={build}
                  isChosen={chosen.has(build.id)}
                  onChoose={
                    maySteer
                      ? (on) => {
                          const next = new Set(chosen);
                          if (on) next.add(build.id);
                          else next.delete(build.id);
                          setChosen(next);
                        }
                      : undefined
                  }
                />
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
      {bulk && (
        <BulkDialog
          bulk={bulk}
          chosen={chosenRows}
          onClose={() => setBulk(undefined)}
          onDone={() => {
            setChosen(new Set());
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

function sorting(asked: BuildsQuery) {
  return {
    by: asked.order,
    addressOf: (order: string) => buildsAddress({ ...asked, offset: 0, order }),
  };
}

function Choice({
  label,
  isChosen,
  onChoose,
}: {
  label: string;
  isChosen: boolean;
  onChoose: (on: boolean) => void;
}) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        aria-label={label}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
    </label>
  );
}

function Row({
  build,
  isChosen,
  onChoose,
}: {
  build: Buildsummary;
  isChosen: boolean;
  onChoose: ((on: boolean) => void) | undefined;
}) {
  const names = build.versions.length > 0 ? build.versions : build.packages;
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      {onChoose && (
        <td class="cell-choose">
          <Choice label={`Choose build ${build.id}`} isChosen={isChosen} onChoose={onChoose} />
        </td>
      )}
      <td class="cell-main">
        <a data-row class="cut" href={buildAddress(build.id)} title={names.join(', ')}>
          <span class="number">{build.id}</span> {names.slice(0, 2).join(', ')}
          {names.length > 2 && <span class="muted"> and {names.length - 2} more</span>}
        </a>
      </td>
      <td>
        <StateBadge label={buildLabel(build)} />
      </td>
      <td class="cell-why">
        <Why build={build} />
      </td>
      <td>
        <span class="cut" title={build.ppa}>
          {build.ppa}
        </span>
      </td>
      <td>{build.series}</td>
      <td>
        <a href={ticketAddress(build.ticket_id)}>#{build.ticket_id}</a>
      </td>
      <td class="cell-time">
        <Ago at={build.requested_at} />
      </td>
    </tr>
  );
}

/** Why it failed, or how far it is, in a few words. */
function Why({ build }: { build: Buildsummary }) {
  const { failure, architectures: all } = build;
  if (failure)
    return (
      <code class="cut" title={failure.message}>
        {failure.class}
      </code>
    );
  const built = `${all.completed} of ${all.total} built`;
  if (build.finished_at !== null) return <span class="muted figure">{all.total > 0 && built}</span>;
  return (
    <span class="muted figure cut">
      for <Elapsed since={build.phase_since} />
      {all.failed > 0 ? `, ${all.failed} of ${all.total} failed` : all.total > 0 && `, ${built}`}
    </span>
  );
}

function Chosen({
  rows,
  onBulk,
  onClear,
}: {
  rows: readonly Buildsummary[];
  onBulk: (bulk: Bulk) => void;
  onClear: () => void;
}) {
  const countOf = (bulk: Bulk) => rows.filter((build) => isOpenTo(bulk, build)).length;
  return (
    <div class="chosen-line" role="group" aria-label="What to do with the chosen builds">
      <b class="figure">{counted(rows.length, 'build')} chosen</b>
      <button
        type="button"
        class="button button-small"
        disabled={countOf('retry') === 0}
        onClick={() => onBulk('retry')}
      >
        Retry {countOf('retry')}…
      </button>
      <button
        type="button"
        class="button button-small"
        disabled={countOf('cancel') === 0}
        onClick={() => onBulk('cancel')}
      >
        Cancel {countOf('cancel')}…
      </button>
      <button type="button" class="button button-bare button-small" onClick={onClear}>
        Choose none
      </button>
    </div>
  );
}

type Ask = (change: Partial<BuildsQuery>, isReplaced?: boolean) => void;

function Filters({ asked, ask }: { asked: BuildsQuery; ask: Ask }) {
  const { failure, age, package: source, ppa, series, owner } = asked;
  const others = [failure, age, source, ppa, series, owner];
  return (
    <FoldedFilters set={others.filter((one) => one !== '').length}>
      <Chooser label="Show" value={asked.show} of={SHOWN} onChoose={(show) => ask({ show })} />
      <Chooser
        label="Failure"
        value={asked.failure}
        of={[{ value: '', word: 'Any' }, ...CLASSES.map((value) => ({ value, word: value }))]}
        onChoose={(failure) => ask({ failure })}
      />
      <Chooser label="When" value={asked.age} of={AGES} onChoose={(age) => ask({ age })} />
      {(
        [
          ['package', 'Package', 'Whole name'],
          ['ppa', 'PPA', 'Any'],
          ['series', 'Series', 'Any'],
          ['owner', "Ticket's owner", 'Anybody'],
        ] as const
      ).map(([name, label, placeholder]) => (
        <label key={name} class="field">
          <span>{label}</span>
          <DelayedInput
            isSearch={name === 'package'}
            value={asked[name]}
            placeholder={placeholder}
            onValue={(value) => ask({ [name]: value.trim() }, true)}
          />
        </label>
      ))}
    </FoldedFilters>
  );
}

function Chooser({
  label,
  value,
  of,
  onChoose,
}: {
  label: string;
  value: string;
  of: readonly { value: string; word: string }[];
  onChoose: (value: string) => void;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {of.map((one) => (
          <option key={one.value} value={one.value}>
            {one.word}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoBuilds({ asked }: { asked: BuildsQuery }) {
  if (isNarrowed(asked))
    return (
      <Empty icon="search" title="No build matches.">
        <p>
          Remove a filter, or <a href="/builds">show all builds</a>.
        </p>
      </Empty>
    );
  return (
    <Empty icon="package" title="No build was requested yet.">
      <p>
        A <a href="/tickets">ticket</a> requests builds of its source packages.
      </p>
    </Empty>
  );
}
