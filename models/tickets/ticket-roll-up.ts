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
 * Moves a ticket where its subtickets take it, and keeps which of them has failed it, where and why. What was said of
 * that since, of the ticket itself, stands until this subticket moves.
 *
 * @param ticket locked in the transaction
 * @param current its subtickets that nothing was added in place of, in the order of their ids
 * @param movedId the subticket whose step or status has changed, where it is that
 */
export async function followSubtickets(
  Ticket: TicketModel,
  ticket: Ticket,
  current: readonly Part[],
  movedId: number | undefined,
  context: InTransaction,
): Promise<void> {
  const { currentWorkflowStep, status } = rollUp(ticket, current);
  const hasMoved = currentWorkflowStep !== ticket.currentWorkflowStep || status !== ticket.status;
  const blamed = current.find((one) => one.id === ticket.failedSubticketId && hasFailed(one));
  const failed = hasFailed({ currentWorkflowStep, status })
    ? (blamed ?? current.find(hasFailed))
    : undefined;
  const isTold = failed !== undefined && (failed !== blamed || failed.id === movedId);
  if (!hasMoved && !isTold) return;
  const reason = failed
    ? `subticket ${failed.id} has failed`
    : ticket.failedSubticketId !== null
      ? 'no subticket counts as failed any more'
      : `no subticket is before ${WORKFLOW_STEPS[currentWorkflowStep]}`;
  await Ticket.updateOne(
    ticket.id,
    { currentWorkflowStep, status, ...(isTold ? failureOf(failed, ticket) : {}) },
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
