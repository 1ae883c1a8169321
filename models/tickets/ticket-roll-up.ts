import {
  hasFailed,
  QUEUED,
  rollUp,
  WORKFLOW_STEPS,
  type Position,
} from '../../domain/tickets/ticket.ts';
import { unconditional, type InTransaction } from '../sql/mutation-context.ts';
import type { Ticket, TicketModel } from './ticket.ts';

/** A subticket as its ticket sees it. */
type Part = Position &
  Pick<Ticket, 'failedAtStep' | 'failureReason'> & {
    readonly id: number;
    readonly sourcePackageUploadId: number | null;
  };

/**
 * Moves a ticket where its subtickets take it, and keeps which of them has failed it, where and why.
 *
 * @param ticket locked in the transaction
 * @param current its subtickets that nothing was added in place of, in the order of their ids
 */
export async function followSubtickets(
  Ticket: TicketModel,
  ticket: Ticket,
  current: readonly Part[],
  context: InTransaction,
): Promise<void> {
  const { currentWorkflowStep, status } = rollUp(ticket, current);
  const hasMoved = currentWorkflowStep !== ticket.currentWorkflowStep || status !== ticket.status;
  const failed = hasFailed({ currentWorkflowStep, status }) ? current.find(hasFailed) : undefined;
  const isBlamed =
    !failed || current.some((one) => one.id === ticket.failedSubticketId && hasFailed(one));
  if (!hasMoved && isBlamed) return;
  const reason = failed
    ? `subticket ${failed.id} has failed`
    : ticket.failedSubticketId !== null
      ? 'no subticket counts as failed any more'
      : `no subticket is before ${WORKFLOW_STEPS[currentWorkflowStep]}`;
  await Ticket.updateOne(
    ticket.id,
    { currentWorkflowStep, status, ...(failed ? failureOf(failed, ticket) : {}) },
    { ...unconditional(context), reason },
  );
}

/** A subticket that never left Queued failed where its ticket stood. */
function failureOf(
  { id, failedAtStep, failureReason, sourcePackageUploadId }: Part,
  ticket: Ticket,
) {
  const ownStep = failedAtStep === QUEUED ? null : failedAtStep;
  const ofTicket = hasFailed(ticket) ? ticket.failedAtStep : ticket.currentWorkflowStep;
  return {
    failedSubticketId: id,
    failedAtStep: ownStep ?? ofTicket ?? failedAtStep,
    failureReason: failureReason || `subticket ${id} has failed`,
    failedInMerge: sourcePackageUploadId === null,
  };
}
