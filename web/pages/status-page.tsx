import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { buildAddress, ticketAddress } from '../addresses.ts';
import { buildsAddress } from '../builds/builds-query.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { Elapsed } from '../components/relative-time.tsx';
import { Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { count, roughDuration, withLocalTimes } from '../format.ts';
import { failureSeries, hourlyTimeSeries, throughputSeries } from '../plot/build-time-series.ts';
import { Plot } from '../plot/plot.tsx';
import { connection } from '../server/changes.ts';
import type { Status, StatusHistory } from '../server/api-types.ts';
import { isVisible } from '../server/page-visibility.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { useRepeated } from '../server/use-repeated.ts';
import { useResource } from '../server/use-resource.ts';
import { buildLabel, phaseLabel } from '../states.ts';
import { faultsOf, Overall, overallLabel, PARTS } from '../status/overall.tsx';
import { Queues } from '../status/queues.tsx';

const STATUS_POLL_MS = 5_000;
const HISTORY_POLL_MS = 60_000;

/** What the service does, what it waits for and why, and how its parts are. */
export function StatusPage() {
  const status = useResource<Status>('/api/v1/status', ({ build }) => build.length > 0);
  const day = useResource<StatusHistory>('/api/v1/status/history/');
  // Queues and parts send no events.
  useRepeated(status, STATUS_POLL_MS);
  useRepeated(day, HISTORY_POLL_MS);
  const { data, error, reload } = status;
  const [unseen, setUnseen] = useState<Status>();
  const isSeen = isVisible.value;
  useEffect(() => {
    if (!isSeen) setUnseen(data);
  }, [isSeen, data]);
  // What was read before says nothing of now.
  const isKnown = !error && connection.value !== 'lost' && data !== unseen;
  const faults = data && (isKnown ? faultsOf(data) : 'unknown');

  return (
    <>
      <div class="page-head">
        <PageHeading title="Status" state={faults && overallLabel(faults)} />
        <div class="actions">
          <a class="button" href="/workers">
            Workers
          </a>
          <a class="button" href="/pool">
            Pool of PPAs
          </a>
        </div>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={12} />}
      {faults && <Overall faults={faults} />}
      {data && <Now status={data} day={day.data} />}
      <section aria-labelledby="day">
        <h2 id="day">The last day</h2>
        {day.error && <ErrorNote error={day.error} retry={day.reload} />}
        {day.data ? (
          <div class="plots">
            <HourlyPlot
              title="Builds requested and ended"
              label="Builds that completed, failed and were cancelled, and those requested,"
              plot={{ ...throughputSeries(day.data.hours), kind: 'bars', format: count }}
            />
            <HourlyPlot
              title="Build time"
              label="Median and 90th percentile of the time of the builds that completed"
              plot={{
                ...hourlyTimeSeries(day.data.hours, 'build'),
                kind: 'line',
                format: durationText,
              }}
            />
            <HourlyPlot
              title="Wait for a builder"
              label="Median and 90th percentile of the time from the request to a builder, of the builds that ended"
              plot={{
                ...hourlyTimeSeries(day.data.hours, 'wait'),
                kind: 'line',
                format: durationText,
              }}
            />
            <HourlyPlot
              title="Failures by class"
              label="Failures of each class"
              plot={{ ...failureSeries(day.data.hours), kind: 'bars', format: count }}
            />
          </div>
        ) : (
          !day.error && <Skeleton lines={6} />
        )}
      </section>
    </>
  );
}

/** @param given.label what is plotted, for screen readers */
function HourlyPlot({
  title,
  label,
  plot,
}: {
  title: string;
  label: string;
  plot: Omit<ComponentProps<typeof Plot>, 'label'>;
}) {
  return (
    <div>
      <h3>{title}, by hour</h3>
      <Plot label={`${label} in each of the last 24 hours`} {...plot} />
    </div>
  );
}

function Now({ status, day }: { status: Status; day: StatusHistory | undefined }) {
  return (
    <>
      <ul class="parts" aria-label="Health">
        {Object.entries(PARTS).map(([key, name]) => (
          <Part key={key} name={name} part={status.health[key as keyof typeof PARTS]} />
        ))}
      </ul>
      <section aria-labelledby="builds">
        <h2 id="builds">Builds</h2>
        <Counts status={status} day={day} />
      </section>
      <section aria-labelledby="waiting">
        <div class="section-head">
          <h2 id="waiting">What waits, and why</h2>
          <WaitingShown status={status} />
        </div>
        <Waiting status={status} />
      </section>
      <section aria-labelledby="queues">
        <h2 id="queues">Worker queues</h2>
        <Queues status={status} />
      </section>
    </>
  );
}

function Part({ name, part }: { name: string; part: Status['health']['database'] }) {
  return (
    <li class="card part">
      <b>{name}</b>
      <StateBadge
        label={
          part.healthy
            ? { tone: 'ok', icon: 'done', word: 'Healthy' }
            : { tone: 'bad', icon: 'failed', word: 'Unhealthy' }
        }
      />
      <span class="muted figure">answers in {count(part.latency_ms)} ms</span>
      {part.error !== undefined && <span class="part-error breakable">{part.error}</span>}
    </li>
  );
}

/** What is under way now, and what came of the last day; each leads to its builds. */
function Counts({
  status: { under_way: underWay, dispatch, unpublished_events: unpublished },
  day,
}: {
  status: Status;
  day: StatusHistory | undefined;
}) {
  if (!underWay || !dispatch)
    return <p class="note note-warn">The database does not answer, so this is not known.</p>;
  const sum = (name: 'completed' | 'failed' | 'cancelled') =>
    day?.hours.reduce((total, hour) => total + hour[name], 0);
  const phases = BUILD_PHASES.filter(
    (phase) => !isEnd(phase) && (SHOWN_ALWAYS.includes(phase) || (underWay[phase] ?? 0) > 0),
  );
  return (
    <>
      <h3>Now</h3>
      <ul class="figures">
        {phases.map((phase) => (
          <Tile
            key={phase}
            label={<StateBadge isPlain label={{ ...phaseLabel(phase), icon: stillIcon(phase) }} />}
            value={underWay[phase] ?? 0}
            to={buildsAddress({ show: phase })}
          />
        ))}
        <Tile
          label="Not started yet"
          value={dispatch.backlog}
          more={
            dispatch.oldest_age_ms === null
              ? 'none waits'
              : `oldest for ${roughDuration(dispatch.oldest_age_ms)}`
          }
        />
        <Tile
          label="Unsent messages"
          value={unpublished}
          more={
            (unpublished ?? 0) < MAX_COUNTED_EVENTS
              ? "to the callers' queues"
              : "or more, to the callers' queues"
          }
        />
      </ul>
      <h3>Attempts that ended in the last 24 hours</h3>
      <ul class="figures">
        {(['completed', 'failed', 'cancelled'] as const).map((phase) => (
          <Tile
            key={phase}
            label={<StateBadge isPlain label={phaseLabel(phase)} />}
            value={sum(phase)}
            to={buildsAddress({ show: phase, age: 'ended-1d' })}
          />
        ))}
      </ul>
    </>
  );
}

/** The phases that are told of even where no build is in them. */
const SHOWN_ALWAYS: readonly string[] = [
  'queued',
  'checking',
  'waiting_for_builder',
  'building',
  'dependency_wait',
];

function isEnd(phase: string): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled';
}

/** Nothing turns for a number. */
function stillIcon(phase: (typeof BUILD_PHASES)[number]) {
  const { icon } = phaseLabel(phase);
  return icon === 'running' ? 'underway' : icon;
}

function Tile({
  label,
  value,
  more,
  to,
}: {
  label: ComponentChildren;
  value: number | null | undefined;
  more?: string;
  to?: string;
}) {
  const inside = (
    <>
      <span class="tile-label">{label}</span>
      <span class="figure-value">{value === null || value === undefined ? '–' : count(value)}</span>
      {more !== undefined && <span class="muted">{more}</span>}
    </>
  );
  return (
    <li class="card">
      {to === undefined ? (
        <div class="tile">{inside}</div>
      ) : (
        <a class="tile figure-link" href={to}>
          {inside}
        </a>
      )}
    </li>
  );
}

/** How many builds wait, if the list does not name them all. */
function WaitingShown({ status: { waiting, waiting_total: total } }: { status: Status }) {
  if (!waiting || total === null || total <= waiting.length) return null;
  return (
    <p class="muted figure">
      {waiting.length} of {count(total)}: failing steps first, then the longest waits
    </p>
  );
}

function Waiting({ status: { waiting } }: { status: Status }) {
  if (!waiting)
    return <p class="note note-warn">The database does not answer, so this is not known.</p>;
  if (waiting.length === 0)
    return (
      <Empty icon="done" title="Nothing waits.">
        <p>A build that makes no progress is listed here, with the reason.</p>
      </Empty>
    );
  return (
    <table class="list waiting">
      <caption class="visually-hidden">
        Builds that make no progress: failing steps first, then the longest waits
      </caption>
      <TableHead columns={['Build', 'State', 'Waits for', 'Why']} />
      <tbody>
        {waiting.map((one) => (
          <tr key={one.build}>
            <td class="cell-main">
              <a data-row href={buildAddress(idOfUri(one.build))}>
                <span class="nobreak">Build {idOfUri(one.build)}</span>
              </a>
              <span class="muted waiting-what">
                {one.packages.join(', ')} in {one.ppa},{' '}
                <a href={ticketAddress(one.ticket_id)}>#{one.ticket_id}</a>
              </span>
            </td>
            <td>
              <StateBadge label={buildLabel({ ...one, failure: null, finished_at: null })} />
            </td>
            <td class="nobreak">
              <Elapsed since={one.since} />
            </td>
            <td class="cell-why breakable">{withLocalTimes(one.why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
