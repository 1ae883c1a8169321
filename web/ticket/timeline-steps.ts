import type { FullTicket, StatusChange } from '../server/api-types.ts';
import {
  isShownAsFailed,
  STEP,
  STEPS_TO_COMPLETE,
  type StepValue,
} from '../../domain/tickets/ticket.ts';

/** A step of a ticket's way; whether it went through it may be unknown. */
export type TimelineStep = {
  step: StepValue;
  state: 'past' | 'here' | 'failed' | 'skipped' | 'unknown' | 'ahead';
  enteredAt: string | undefined;
  leftAt: string | undefined;
};

/**
 * Where a ticket was and is, from the changes of the ticket itself.
 *
 * @param changes undefined where they are not known, or not all of them: then it is known where it is, and no more
 */
export function timelineSteps(
  ticket: Pick<FullTicket, 'current_workflow_step' | 'status' | 'created_at'>,
  changes: readonly StatusChange[] | undefined,
): TimelineStep[] {
  const now = ticket.current_workflow_step;
  const isFailed = isShownAsFailed(ticket);
  if (!changes) {
    const at = now === STEP.failed ? Infinity : STEPS_TO_COMPLETE.indexOf(now);
    return STEPS_TO_COMPLETE.map((step, index) => ({
      step,
      state: index < at ? 'unknown' : index > at ? 'ahead' : isFailed ? 'failed' : 'here',
      enteredAt: undefined,
      leftAt: undefined,
    }));
  }
  const moves = changes.filter(
    ({ subticket, from_step: from, to_step: to }) => subticket === null && from !== to,
  );
  const entered = new Map<string, string>([[STEP.queued, ticket.created_at]]);
  const left = new Map<string, string>();
  for (const { from_step: from, to_step: to, created_at: at } of moves) {
    left.set(from, at);
    entered.set(to, at);
    left.delete(to);
  }
  const reached = now === STEP.failed ? (moves.at(-1)?.from_step ?? STEP.queued) : now;
  const at = STEPS_TO_COMPLETE.findIndex((step) => step === reached);
  return STEPS_TO_COMPLETE.map((step, index) => ({
    step,
    state:
      index === at
        ? isFailed
          ? 'failed'
          : 'here'
        : index > at
          ? 'ahead'
          : entered.has(step)
            ? 'past'
            : 'skipped',
    enteredAt: index <= at ? entered.get(step) : undefined,
    leftAt: left.get(step),
  }));
}
