import type { Transaction } from 'sequelize';
import { landingActor } from '../../domain/access/requester.ts';
import type { LandingPackage } from '../../domain/landings/landing.ts';
import { stepOfPhase } from '../../domain/landings/landing-phase.ts';
import { movedText } from '../../domain/landings/target-moved.ts';
import { RENEWED_WHY } from '../../domain/landings/tested-again.ts';
import { COMPLETE, FAILED, type WorkflowStep } from '../../domain/tickets/ticket.ts';
import type { Landing } from './landing.ts';
import type { SubticketModel } from '../tickets/subticket.ts';
import type { TicketModel } from '../tickets/ticket.ts';

/**
 * Moves a ticket and the subtickets that are landed to the step of the landing's phase. A failure of packages is their
 * subtickets'; every other one, and a cancellation, is the ticket's own. What is published is out, whatever becomes of
 * the others: its subticket is Complete and stays so, and a landing that is requested anew leaves it out. The caller
 * has locked the ticket: else a subticket that is Complete by the time that it is changed would be set back.
 */
export async function moveTicket(
  { Subticket, Ticket }: { Subticket: SubticketModel; Ticket: TicketModel },
  { id: landingId, ticketId, phase, packages, parts, targetMoved, tests, failure }: Landing,
  transaction: Transaction,
): Promise<void> {
  const step = stepOfPhase(phase);
  const again = [
    ...(targetMoved ? [movedText(targetMoved)] : []),
    ...(tests?.renewed ? [RENEWED_WHY] : []),
  ];
  const why = phase === 'imaging' && again.length > 0 ? `: ${again.join('; ')}` : '';
  const context = {
    actor: landingActor(landingId),
    reason: failure?.message ?? `landing ${landingId} is ${phase}${why}`,
    transaction,
    isLanding: true,
  } as const;
  const to = (next: WorkflowStep) => ({ currentWorkflowStep: next, status: next });
  const { package: first, packages: failed = [first] } = failure ?? {};
  const concerns = ({ subticketId, source }: LandingPackage) =>
    step !== FAILED || isPublished(subticketId) || failed.includes(source);
  const subtickets = await Subticket.findAll({
    where: { id: packages.filter(concerns).map(({ subticketId }) => subticketId) },
    order: ['id'],
    transaction,
  });
  for (const { id, currentWorkflowStep, status } of subtickets) {
    const next = step === FAILED && isPublished(id) ? COMPLETE : step;
    const isAt = (other: WorkflowStep) => currentWorkflowStep === other && status === other;
    if (!(isAt(next) || isAt(COMPLETE))) await Subticket.updateOne(id, to(next), context);
  }
  const ticket = await Ticket.lock(ticketId, transaction);
  if (!ticket) return;
  // Where all were out before, they take their ticket with them only now.
  if (step === COMPLETE) await Subticket.rollUpInto(ticket, context);
  else if (ticket.currentWorkflowStep !== step || ticket.status !== step)
    await Ticket.updateOne(ticketId, to(step), context);

  function isPublished(subticketId: number): boolean {
    return parts.some((part) => part.subticket_id === subticketId && part.state === 'published');
  }
}
