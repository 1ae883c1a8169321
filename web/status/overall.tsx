import { durationText } from '../../domain/text/quantity-text.ts';
import { overdueFaults } from '../../domain/service/overdue-work.ts';
import { isFull, isPolled } from '../../domain/service/worker-queue.ts';
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
>): string[] {
  const parts = (Object.keys(PARTS) as (keyof typeof PARTS)[])
    .filter((name) => !health[name].healthy)
    .map((name) => `${PARTS[name]} unhealthy: ${health[name].error ?? 'no reason given'}.`);
  const unpolled = (queues ?? []).filter((queue) => !isPolled(queue));
  const workers =
    queues === null
      ? // Who does not answer does not list its queues either.
        health.temporal.healthy
        ? [`Temporal does not list its queues: ${queuesError ?? 'no reason given'}.`]
        : []
      : unpolled.length === queues.length
        ? ['No worker runs: builds are accepted, and wait until one does.']
        : unpolled.map(({ name, kind }) => `No worker takes ${kind} tasks of ${name}.`);
  const full = (queues ?? [])
    .filter(isFull)
    .map(
      ({ name, kind, backlog }) =>
        `All slots for ${kind} tasks of ${name} are taken, and ${counted(backlog, 'task')} must wait: another worker helps.`,
    );
  const oldestMs = dispatch?.oldest_age_ms ?? 0;
  return [
    ...parts,
    ...workers,
    ...full,
    ...(oldestMs > STUCK_MS
      ? [`A build has waited ${durationText(oldestMs)} for its workflow to start.`]
      : []),
    ...(overdue ? overdueFaults(overdue) : []),
    ...(typeof launchpad?.left_alone_until === 'string'
      ? [
          `No worker calls the PPA until ${exactTime(launchpad.left_alone_until)}: it did not answer, or asked for a pause.`,
        ]
      : []),
  ];
}

/** What is wrong, as `faultsOf` has it, or that this is not known now. */
type Faults = readonly string[] | 'unknown';

/** How the service as a whole stands. */
export function overallLabel(faults: Faults): StateLabel {
  if (faults === 'unknown') return unclear('Not known');
  return faults.length === 0
    ? good('All is well')
    : { ...unclear('Not all is well'), icon: 'warning' };
}

/** Whether all is well; if not, why not. */
export function Overall({ faults }: { faults: Faults }) {
  const { tone, icon, word } = overallLabel(faults);
  return (
    <div class={`note note-${tone}`} role="status">
      <Icon name={icon} />
      <div>
        <p class="note-title">{word}</p>
        {faults === 'unknown' ? (
          <p>The status could not be read again yet. What is below may be old.</p>
        ) : faults.length === 0 ? (
          <p>Every part answers, workers take what builds need, and nothing fails for long.</p>
        ) : (
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
