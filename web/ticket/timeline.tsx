import { Icon } from '../components/icon.tsx';
import { Elapsed } from '../components/relative-time.tsx';
import { duration, exactTime } from '../format.ts';
import type { FullTicket, StatusChange } from '../server/api-types.ts';
import { stepName } from '../../domain/ticket.ts';
import { timelineSteps, type TimelineStep } from './timeline-steps.ts';

/**
 * A ticket's way through the steps, with when it came to each and how long it stayed.
 *
 * @param changes undefined while its history is not known
 */
export function Timeline({
  ticket,
  changes,
}: {
  ticket: Pick<FullTicket, 'current_workflow_step' | 'created_at'>;
  changes: readonly StatusChange[] | undefined;
}) {
  return (
    <section aria-label="Way through the steps">
      <ol class="timeline">
        {timelineSteps(ticket, changes).map((stop) => (
          <Step key={stop.step} stop={stop} />
        ))}
      </ol>
    </section>
  );
}

const ICONS = {
  past: 'done',
  here: 'underway',
  failed: 'failed',
  skipped: 'cancelled',
  unknown: 'unknown',
  ahead: 'queued',
} as const;
const WORDS = {
  past: 'done',
  here: 'now',
  failed: 'failed here',
  skipped: 'skipped',
  unknown: 'not known yet',
  ahead: 'to come',
} as const;

function Step({ stop }: { stop: TimelineStep }) {
  const { step, enteredAt, leftAt } = stop;
  const isEnd = step === '1000';
  const state = isEnd && stop.state === 'here' ? 'past' : stop.state;
  return (
    <li class={`stop stop-${state}`} aria-current={stop.state === 'here' ? 'step' : undefined}>
      <span class="stop-mark">
        <Icon name={step === '100' && state === 'here' ? 'queued' : ICONS[state]} size={20} />
      </span>
      <span class="stop-word">{stepName(step)}</span>
      <span class="stop-time">
        {enteredAt === undefined ? (
          WORDS[state]
        ) : (
          <>
            <time dateTime={enteredAt}>{exactTime(enteredAt)}</time>
            <span class="stop-stay">
              {state === 'past' && isEnd && 'complete'}
              {state === 'past' && !isEnd && leftAt !== undefined && (
                <>took {duration(Date.parse(leftAt) - Date.parse(enteredAt))}</>
              )}
              {state === 'here' && (
                <>
                  for <Elapsed since={enteredAt} />
                </>
              )}
              {state === 'failed' && leftAt !== undefined && (
                <>failed after {duration(Date.parse(leftAt) - Date.parse(enteredAt))}</>
              )}
            </span>
          </>
        )}
      </span>
    </li>
  );
}
