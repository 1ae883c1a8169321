import { useEffect, useRef } from 'preact/hooks';
import { durationText } from '../../domain/text/quantity-text.ts';
import { overdueFaults, type Fault } from '../../domain/service/overdue-work.ts';
import { isFull, isPolled } from '../../domain/service/worker-queue.ts';
import { announce } from '../announce.ts';
import { Icon } from '../components/icon.tsx';
import { counted, exactTime } from '../format.ts';
import type { Status } from '../server/api-types.ts';
import { good, unclear, type StateLabel } from '../states.ts';

/** The parts that Airline needs, by their names in the status, as the pages call them. */
export const PARTS = {
  database: 'Database',
  temporal: 'Temporal',
  broker: 'Broker',
  store: 'Data store',
} as const;
/** A build that has not been started for longer than this is no matter of chance. */
const STUCK_MS = 60_000;

/** What is wrong with the service as a whole, causes first; nothing where all is well. */
export function faultsOf({
  health,
  worker_queues: queues,
  worker_queues_error: queuesError,
  dispatch,
  overdue,
  launchpad,
}: Pick<
  Status,
  'health' | 'worker_queues' | 'worker_queues_error' | 'dispatch' | 'overdue' | 'launchpad'
>): Fault[] {
  const parts = (Object.keys(PARTS) as (keyof typeof PARTS)[])
    .filter((name) => !health[name].healthy)
    .map((name) => ({
      what: name,
      text: `${PARTS[name]} unhealthy: ${health[name].error ?? 'no reason given'}.`,
    }));
  const unpolled = (queues ?? []).filter((queue) => !isPolled(queue));
  const workers =
    queues === null
      ? // Who does not answer does not list its queues either.
        health.temporal.healthy
        ? [
            {
              what: 'no queues',
              text: `Temporal does not list its queues: ${queuesError ?? 'no reason given'}.`,
            },
          ]
        : []
      : unpolled.length === queues.length
        ? [
            {
              what: 'no worker',
              text: 'No worker runs: builds are accepted, and wait until one does.',
            },
          ]
        : unpolled.map(({ name, kind }) => ({
            what: `not taken: ${kind} ${name}`,
            text: `No worker takes ${kind} tasks of ${name}.`,
          }));
  const full = (queues ?? []).filter(isFull).map(({ name, kind, backlog }) => ({
    what: `full: ${kind} ${name}`,
    text: `All slots for ${kind} tasks of ${name} are taken, and ${counted(backlog, 'task')} must wait: another worker helps.`,
  }));
  const oldestMs = dispatch?.oldest_age_ms ?? 0;
  return [
    ...parts,
    ...workers,
    ...full,
    ...(oldestMs > STUCK_MS
      ? [
          {
            what: 'dispatch',
            text: `A build has waited ${durationText(oldestMs)} for its workflow to start.`,
          },
        ]
      : []),
    ...(overdue ? overdueFaults(overdue) : []),
    ...(typeof launchpad?.left_alone_until === 'string'
      ? [
          {
            what: 'launchpad',
            text: `No worker calls the PPA until ${exactTime(launchpad.left_alone_until)}: it did not answer, or asked for a pause.`,
          },
        ]
      : []),
  ];
}

/** What is wrong, as `faultsOf` has it, or that this is not known now. */
type Faults = readonly Fault[] | 'unknown';

/** How the service as a whole stands. */
export function overallLabel(faults: Faults): StateLabel {
  if (faults === 'unknown') return unclear('Not known');
  return faults.length === 0
    ? good('All is well')
    : { ...unclear('Not all is well'), icon: 'warning' };
}

/** Whether all is well; if not, why not. A screen reader is told of a fault that comes, not of how long it lasts. */
export function Overall({ faults }: { faults: Faults }) {
  const { tone, icon, word } = overallLabel(faults);
  const told = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (faults === 'unknown') return;
    const news = faults.filter(({ what }) => told.current?.has(what) === false);
    if (news.length > 0) announce(news.map(({ text }) => text).join(' '));
    told.current = new Set(faults.map(({ what }) => what));
  }, [faults]);
  return (
    <div class={`note note-${tone}`}>
      <Icon name={icon} />
      <div>
        <p class="note-title" role="status">
          {word}
        </p>
        {faults === 'unknown' ? (
          <p>The status could not be read again yet. What is below may be old.</p>
        ) : faults.length === 0 ? (
          <p>Every part answers, workers take what builds need, and nothing fails for long.</p>
        ) : (
          <ul>
            {faults.map(({ what, text }) => (
              <li key={what}>{text}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
