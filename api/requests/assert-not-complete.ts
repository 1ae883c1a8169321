import { AirlineError } from '../../domain/errors.ts';
import { COMPLETE } from '../../domain/tickets/ticket.ts';
import type { Ticket } from '../../models/tickets/ticket.ts';

/**
 * Asserts that a ticket is not Complete: such a one is neither built nor landed.
 *
 * @throws AirlineError `ticket_complete`
 */
export function assertNotComplete({
  id,
  currentWorkflowStep,
}: Pick<Ticket, 'id' | 'currentWorkflowStep'>): void {
  if (currentWorkflowStep === COMPLETE)
    throw new AirlineError('ticket_complete', `Ticket ${id} is Complete.`);
}
