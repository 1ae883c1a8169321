import { Icon } from '../components/icon.tsx';
import { Elapsed } from '../components/moment.tsx';
import { duration, exactTime } from '../format.ts';
import type { FullTicket, StatusChange } from '../server/shapes.ts';
import { GOOD_STEPS, stepWord, type Step } from '../states.ts';

type Stop = {
  step: Step;
  state: 'past' | 'here' | 'failed' | 'skipped' | 'ahead';
  enteredAt: string | undefined;
  leftAt: string | undefined;
};

/** A ticket's way through the steps, with when it came to each and how long it stayed. */
export function Timeline({
  ticket,
  changes,
}: {
  ticket: Pick<FullTicket, 'current_workflow_step' | 'created_at'>;
  changes: readonly StatusChange[];
}) {
  return (
    <section aria-label="Way through the steps">
      <ol class="timeline">
        {stopsOf(ticket, changes).map((stop) => (
          <StopOf key={stop.step} stop={stop} />
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
  ahead: 'queued',
} as const;
const WORDS = {
  past: 'done',
  here: 'now',
  failed: 'failed here',
  skipped: 'skipped',
  ahead: 'to come',
} as const;

function StopOf({ stop }: { stop: Stop }) {
  const { step, enteredAt, leftAt } = stop;
  const isEnd = step === '1000';
  const state = isEnd && stop.state === 'here' ? 'past' : stop.state;
  return (
    <li class={`stop stop-${state}`} aria-current={stop.state === 'here' ? 'step' : undefined}>
      <span class="stop-mark">
        <Icon name={step === '100' && state === 'here' ? 'queued' : ICONS[state]} size={20} />
      </span>
      <span class="stop-word">{stepWord(step)}</span>
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

/** Where a ticket was and is, from the changes of the ticket itself. */
export function stopsOf(
  ticket: Pick<FullTicket, 'current_workflow_step' | 'created_at'>,
  changes: readonly StatusChange[],
): Stop[] {
  const moves = changes.filter(
    ({ subticket, from_step: from, to_step: to }) => subticket === null && from !== to,
  );
  const entered = new Map<string, string>([['100', ticket.created_at]]);
  const left = new Map<string, string>();
  for (const { from_step: from, to_step: to, created_at: at } of moves) {
    left.set(from, at);
    entered.set(to, at);
    left.delete(to);
  }
  const now = ticket.current_workflow_step;
  const failedAt = now === '999' ? (moves.at(-1)?.from_step ?? '100') : undefined;
  const at = GOOD_STEPS.findIndex((step) => step === (failedAt ?? now));
  return GOOD_STEPS.map((step, index) => ({
    step,
    state:
      step === failedAt
        ? 'failed'
        : step === now
          ? 'here'
          : index > at
            ? 'ahead'
            : entered.has(step)
              ? 'past'
              : 'skipped',
    enteredAt: index <= at ? entered.get(step) : undefined,
    leftAt: left.get(step),
  }));
}
