import type { ComponentChildren } from 'preact';
import { BUILD_STATES } from '../../domain/build-request.ts';
import { isPolled } from '../../domain/worker-queue.ts';
import { buildAddress, idOf } from '../addresses.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { Elapsed } from '../components/relative-time.tsx';
import { Command, Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { count, counted, duration, withLocalTimes } from '../format.ts';
import { hourlyTimeSeries, throughputSeries } from '../plot/build-time-series.ts';
import { Plot } from '../plot/plot.tsx';
import type { Status, StatusHistory } from '../server/api-types.ts';
import { useRepeated } from '../server/use-repeated.ts';
import { useResource } from '../server/use-resource.ts';
import { buildLabel, phaseLabel } from '../states.ts';

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

  return (
    <>
      <div class="page-head">
        <PageHeading title="Status" />
        <div class="actions">
          <a class="button" href="/pool">
            Pool of PPAs
          </a>
        </div>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && <Now status={data} />}
      <section aria-labelledby="day">
        <h2 id="day">The last day</h2>
        {day.error && <ErrorNote error={day.error} retry={day.reload} />}
        {day.data ? (
          <div class="plots">
            <div>
              <h3>Builds that ended, by hour</h3>
              <Plot
                label="Builds that completed, failed and were cancelled in each of the last 24 hours"
                {...throughputSeries(day.data.hours)}
                kind="bars"
                format={count}
              />
            </div>
            <div>
              <h3>Median build time, by hour</h3>
              <Plot
                label="Median time of the builds that completed in each of the last 24 hours"
                {...hourlyTimeSeries(day.data.hours)}
                kind="line"
                format={duration}
              />
            </div>
          </div>
        ) : (
          !day.error && <Skeleton lines={6} />
        )}
      </section>
    </>
  );
}

function Now({ status }: { status: Status }) {
  return (
    <>
      <ul class="parts" aria-label="Health">
        <Part name="Database" part={status.health.database} />
        <Part name="Temporal" part={status.health.temporal} />
        <Part name="Broker" part={status.health.broker} />
      </ul>
      <section aria-labelledby="builds">
        <h2 id="builds">Builds</h2>
        <Counts status={status} />
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
            : { tone: 'bad', icon: 'failed', word: 'Not well' }
        }
      />
      <span class="muted figure">answers in {count(part.latency_ms)} ms</span>
      {part.error !== undefined && <span class="part-error breakable">{part.error}</span>}
    </li>
  );
}

function Counts({
  status: { builds, dispatch, unpublished_events: unpublished },
}: {
  status: Status;
}) {
  if (!builds || !dispatch)
    return <p class="note note-warn">The database does not answer, so this is not known.</p>;
  return (
    <dl class="figures">
      {BUILD_STATES.map((state) => (
        <div key={state} class="card">
          <dt>
            <StateBadge isPlain label={phaseLabel(state)} />
          </dt>
          <dd>
            <span class="figure-value">{count(builds[state] ?? 0)}</span>
          </dd>
        </div>
      ))}
      <div class="card">
        <dt>Not started yet</dt>
        <dd>
          <span class="figure-value">{count(dispatch.backlog)}</span>
          <span class="muted">
            {dispatch.oldest_age_ms === null
              ? 'none waits'
              : `oldest for ${duration(dispatch.oldest_age_ms)}`}
          </span>
        </dd>
      </div>
      <div class="card">
        <dt>Unsent messages</dt>
        <dd>
          <span class="figure-value">{unpublished === null ? '–' : count(unpublished)}</span>
          <span class="muted">to the callers' queues</span>
        </dd>
      </div>
    </dl>
  );
}

/** How many builds wait, if the list does not name them all. */
function WaitingShown({ status: { waiting, waiting_total: total } }: { status: Status }) {
  if (!waiting || total === null || total <= waiting.length) return null;
  return (
    <p class="muted figure">
      the {waiting.length} that wait longest, of {count(total)}
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
        Builds that make no progress, the one that waits longest first
      </caption>
      <TableHead columns={['Build', 'State', 'Waits for', 'Why']} />
      <tbody>
        {waiting.map((one) => (
          <tr key={one.build}>
            <td class="cell-main">
              <a data-row href={buildAddress(idOf(one.build))}>
                Build {idOf(one.build)}
              </a>
            </td>
            <td>
              <StateBadge label={buildLabel({ ...one, failure: null, finished_at: null })} />
            </td>
            <td>
              <Elapsed since={one.since} />
            </td>
            <td class="cell-why breakable">{withLocalTimes(one.why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Queues({
  status: { worker_queues: queues, worker_queues_error: error },
}: {
  status: Status;
}) {
  if (!queues)
    return (
      <p class="note note-warn">Temporal does not list its queues: {error ?? 'no reason given'}</p>
    );
  if (!queues.some(isPolled))
    return (
      <Empty icon="warning" title="No worker polls.">
        <p>
          Builds are accepted and wait until one does. <code>npm start</code> runs one; of a
          deployment, start it again:
        </p>
        <Command>docker compose up --detach worker</Command>
      </Empty>
    );
  return (
    <table class="list queues">
      <caption class="visually-hidden">Worker queues</caption>
      <TableHead columns={['Queue', 'Workers', 'Backlog', 'Now']} />
      <tbody>
        {queues.map((queue) => (
          <tr key={`${queue.name} ${queue.kind}`}>
            <td class="cell-main">
              {queue.name} <span class="muted">{queue.kind} tasks</span>
            </td>
            <td>
              <Pollers queue={queue} />
            </td>
            <td class="figure">{counted(queue.backlog, 'task')}</td>
            <td>
              <StateBadge
                isPlain
                label={
                  queue.busy
                    ? { tone: 'busy', icon: 'running', word: 'Busy' }
                    : { tone: 'idle', icon: 'queued', word: 'Idle' }
                }
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Pollers({
  queue,
}: {
  queue: NonNullable<Status['worker_queues']>[number];
}): ComponentChildren {
  if (!isPolled(queue)) return <b>no worker</b>;
  const polling = queue.pollers.filter((poller) => poller.polling);
  return (
    <span title={polling.map(({ identity }) => identity).join('\n')}>
      {counted(polling.length, 'worker')}
    </span>
  );
}
