import { AirlineError } from '../../domain/errors.ts';
import { isProposalDone } from '../../domain/tickets/project.ts';
import { COMPLETE } from '../../domain/tickets/ticket.ts';
import type { MergeProposal } from '../../models/tickets/merge-proposal.ts';
import type { Subticket } from '../../models/tickets/subticket.ts';
import { mergeProposal } from '../resources/merge-proposal.ts';

/**
 * Asserts that the source of a subticket may still be made of its merge proposal: neither is done, and the subticket
 * stands. The caller has locked its ticket.
 *
 * @throws AirlineError `conflict`
 */
export function assertStillProposed(
  { id, currentWorkflowStep, replacedById }: Subticket,
  proposal: MergeProposal,
): void {
  const refuse = (why: string) => new AirlineError('conflict', `Subticket ${id} ${why}.`);
  if (currentWorkflowStep === COMPLETE) throw refuse('is Complete');
  if (replacedById !== null) throw refuse(`was replaced by subticket ${replacedById}`);
  if (isProposalDone(proposal.status))
    throw refuse(`stands for ${mergeProposal.uriOf(proposal.id)}, which is ${proposal.status}`);
}
