import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { buildsAddress } from '../builds/builds-query.ts';
import { ErrorNote, Empty, Skeleton } from '../components/notes.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago } from '../components/relative-time.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { count, counted, exactTime } from '../format.ts';
import type { Status, Worker, Workers } from '../server/api-types.ts';
import { useRepeated } from '../server/use-repeated.ts';
import { useResource } from '../server/use-resource.ts';
import { phaseLabel, type StateLabel } from '../states.ts';
import { Queues, SlotsTaken } from '../status/queues.tsx';

const POLL_MS = 5_000;

/** Who does the work, how much more they can take, and what bounds it. */
export function WorkersPage() {
  const status = useResource<Status>('/api/v1/status', ({ build }) => build.length > 0);
  const workers = useResource<Workers>('/api/v1/status/workers/');
  // Queues and workers send no events.
  useRepeated(status, POLL_MS);
  useRepeated(workers, POLL_MS);
  return (
    <>
      <p class="crumbs">
        <a href="/status">Status</a> / <span>Workers</span>
      </p>
      <div class="page-head">
        <PageHeading title="Workers" />
      </div>
      {status.error && <ErrorNote error={status.error} retry={status.reload} />}
      {workers.error && <ErrorNote error={workers.error} retry={workers.reload} />}
      {!(status.data && workers.data) && !status.error && !workers.error && <Skeleton lines={8} />}
      {status.data && workers.data && (
        <>
          <section aria-labelledby="load">
            <h2 id="load">Work and what bounds it</h2>
            <Load status={status.data} launchpad={workers.data.launchpad} />
          </section>
          <section aria-labelledby="queues">
            <h2 id="queues">Queues</h2>
            <Queues status={status.data} />
          </section>
          <section aria-labelledby="processes">
            <h2 id="processes">Processes</h2>
            <Processes {...workers.data} />
          </section>
        </>
      )}
    </>
  );
}

function Load({
  status: { under_way: underWay, dispatch, launchpad: called },
  launchpad,
}: {
  status: Status;
  launchpad: Workers['launchpad'];
}) {
  if (!underWay || !dispatch || !called || !launchpad)
    return <p class="note note-warn">The database does not answer, so this is not known.</p>;
  const inFlight = BUILD_PHASES.filter((phase) => (underWay[phase] ?? 0) > 0);
  const sum = inFlight.reduce((total, phase) => total + (underWay[phase] ?? 0), 0);
  const { left_alone_until: pause } = called;
  return (
    <dl class="card waiting-details load">
      <div>
        <dt>Builds under way</dt>
        <dd>
          <a href={buildsAddress({ show: 'active' })}>{count(sum)}</a>
          {inFlight.length > 0 && (
            <span class="muted">
              {inFlight
                .map(
                  (phase) =>
                    `${count(underWay[phase] ?? 0)} ${phaseLabel(phase).word.toLowerCase()}`,
                )
                .join(', ')}
            </span>
          )}
        </dd>
      </div>
      <div>
        <dt>Not started yet</dt>
        <dd>
          {count(dispatch.backlog)}
          <span class="muted">
            {dispatch.oldest_age_ms === null
              ? 'every build has its workflow'
              : `the oldest for ${durationText(dispatch.oldest_age_ms)}`}
          </span>
        </dd>
      </div>
      <div>
        <dt>Calls of the PPA</dt>
        <dd>
          {pause !== null ? (
            <b>none until {exactTime(pause)}</b>
          ) : launchpad.wait_ms > 0 ? (
            <b>each waits {durationText(launchpad.wait_ms)}</b>
          ) : (
            'at once'
          )}
          <span class="muted">
            at most {count(launchpad.calls_per_second)} a second, of all workers together;{' '}
            {counted(called.watched_builds, 'build')} in {counted(called.watched_ppas, 'PPA')}{' '}
            watched
          </span>
        </dd>
      </div>
    </dl>
  );
}

function Processes({ workers, workers_error: error }: Workers) {
  if (!workers)
    return (
      <p class="note note-warn">Temporal does not list the workers: {error ?? 'no reason given'}</p>
    );
  if (workers.length === 0)
    return (
      <Empty icon="warning" title="No worker has reported.">
        <p>A worker reports every 10 seconds while it runs.</p>
      </Empty>
    );
  return (
    <div class="scroller">
      <table class="list">
        <caption class="visually-hidden">Processes of workers and testers</caption>
        <TableHead
          columns={['Process', 'Now', 'Version', 'Started', 'Last report', 'Slots taken']}
        />
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.identity}>
              <td class="cell-main breakable">{worker.identity}</td>
              <td>
                <StateBadge isPlain label={labelOf(worker)} />
              </td>
              <td data-before="version">{worker.version ?? <span class="muted">not told</span>}</td>
              <td data-before="started">
                {worker.started_at !== null && <Ago at={worker.started_at} />}
              </td>
              <td data-before="last report">
                {worker.reported_at !== null && <Ago at={worker.reported_at} />}
              </td>
              <td class="figure">
                <ul class="slots">
                  {worker.slots.map((slots) => (
                    <li key={`${slots.queue} ${slots.kind}`}>
                      <span class="muted">
                        {slots.queue} {slots.kind} tasks
                      </span>{' '}
                      <SlotsTaken slots={slots} />
                      <span class="muted">
                        {' '}
                        · {count(slots.processed)} done
                        {slots.failed > 0 && `, ${count(slots.failed)} failed`}
                      </span>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function labelOf({ state, reporting }: Worker): StateLabel {
  if (!reporting && state !== 'stopped') return { tone: 'warn', icon: 'warning', word: 'Silent' };
  if (state === 'running') return { tone: 'ok', icon: 'done', word: 'Running' };
  return { tone: 'off', icon: 'queued', word: state === 'stopping' ? 'Stopping' : 'Stopped' };
}
