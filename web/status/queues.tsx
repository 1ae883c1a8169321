import type { ComponentChildren } from 'preact';
import { durationText } from '../../domain/text/quantity-text.ts';
import { isFull, isPolled } from '../../domain/service/worker-queue.ts';
import { Command, Empty } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { count, counted } from '../format.ts';
import type { Status } from '../server/api-types.ts';

type Queue = NonNullable<Status['worker_queues']>[number];

/** The queues that workers take tasks from: who polls them, what waits in them, and whether there is room for more. */
export function Queues({
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
    <div class="scroller">
      <table class="list">
        <caption class="visually-hidden">Worker queues</caption>
        <TableHead columns={['Queue', 'Workers', 'Slots taken', 'Backlog', 'Now']} />
        <tbody>
          {queues.map((queue) => (
            <tr key={`${queue.name} ${queue.kind}`}>
              <td class="cell-main">
                {queue.name} <span class="muted">{queue.kind} tasks</span>
              </td>
              <td>
                <Pollers queue={queue} />
              </td>
              <td class="figure nobreak">
                {queue.slots ? <SlotsTaken slots={queue.slots} /> : <span class="muted">–</span>}
              </td>
              <td class="figure nobreak">
                {counted(queue.backlog, 'task')}
                {queue.backlog_age_ms !== null && (
                  <span class="muted"> for {durationText(queue.backlog_age_ms)}</span>
                )}
              </td>
              <td>
                <StateBadge isPlain label={labelOf(queue)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How many slots have a task, of how many. */
export function SlotsTaken({ slots: { used, total } }: { slots: { used: number; total: number } }) {
  return (
    <>
      {count(used)} of {counted(total, 'slot')}
    </>
  );
}

function labelOf(queue: Queue) {
  if (isFull(queue)) return { tone: 'warn', icon: 'warning', word: 'Full' } as const;
  return queue.busy
    ? ({ tone: 'busy', icon: 'running', word: 'Busy' } as const)
    : ({ tone: 'idle', icon: 'queued', word: 'Idle' } as const);
}

function Pollers({ queue }: { queue: Queue }): ComponentChildren {
  if (!isPolled(queue)) return <b>no worker</b>;
  const polling = queue.pollers.filter((poller) => poller.polling);
  return (
    <span title={polling.map(({ identity }) => identity).join('\n')}>
      {counted(polling.length, 'worker')}
    </span>
  );
}
