import type { Transaction } from 'sequelize';
import { stepOfPhase } from '../../domain/landings/landing-phase.ts';
import { COMPLETE, FAILED, type WorkflowStep } from '../../domain/tickets/ticket.ts';
import type { Landing } from './landing.ts';
import type { SubticketModel } from '../tickets/subticket.ts';
import type { TicketModel } from '../tickets/ticket.ts';

/**
 * Moves a ticket and the subtickets that are landed to the step of the landing's phase. A failure of one package is its
 * subticket's; every other one, and a cancellation, is the ticket's own.
 */
export async function moveTicket(
  { Subticket, Ticket }: { Subticket: SubticketModel; Ticket: TicketModel },
  { id: landingId, ticketId, phase, packages, failure }: Landing,
  transaction: Transaction,
): Promise<void> {
  const step = stepOfPhase(phase);
  const context = {
    actor: `landing ${landingId}`,
    reason: failure?.message ?? `landing ${landingId} is ${phase}`,
    transaction,
  };
  const to = (next: WorkflowStep) => ({ currentWorkflowStep: next, status: next });
  const landed = packages.map(({ subticketId }) => subticketId);
  const concerned =
    step === FAILED
      ? packages.filter(({ source }) => source === failure?.package).map((one) => one.subticketId)
      : landed;
  const subtickets = await Subticket.findAll({
    where: { id: concerned },
    order: ['id'],
    transaction,
  });
  for (const { id, currentWorkflowStep, status } of subtickets)
    if (currentWorkflowStep !== step || status !== step)
      await Subticket.updateOne(id, to(step), context);
  if (step === COMPLETE) return;
  const ticket = await Ticket.lock(ticketId, transaction);
  if (ticket && (ticket.currentWorkflowStep !== step || ticket.status !== step))
    await Ticket.updateOne(ticketId, to(step), context);
}
