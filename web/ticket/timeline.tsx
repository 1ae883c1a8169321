import { Rail } from '../components/rail.tsx';
import type { FullTicket, StatusChange } from '../server/api-types.ts';
import { STEP, stepName } from '../../domain/tickets/ticket.ts';
import { timelineSteps } from './timeline-steps.ts';

/**
 * A ticket's way through the steps, with when it came to each and how long it stayed.
 *
 * @param changes undefined where its history is not known, or not all of it
 */
export function Timeline({
  ticket,
  changes,
}: {
  ticket: Pick<FullTicket, 'current_workflow_step' | 'status' | 'created_at'>;
  changes: readonly StatusChange[] | undefined;
}) {
  const stops = timelineSteps(ticket, changes).map((stop) => ({
    ...stop,
    key: stop.step,
    word: stepName(stop.step),
    isWait: stop.step === STEP.queued,
    isEnd: stop.step === STEP.complete,
  }));
  return <Rail label="Way through the steps" stops={stops} />;
}
