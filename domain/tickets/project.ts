import { COMPLETE } from './ticket.ts';

/** What a branch of a project is for. */
export const BRANCH_TYPES = ['trunk', 'development', 'maintenance', 'regular'] as const;

/** How far a merge proposal has come. */
export const MERGE_PROPOSAL_STATUSES = [
  'work_in_progress',
  'needs_review',
  'approved',
  'rejected',
  'merged',
] as const;

export type MergeProposalStatus = (typeof MERGE_PROPOSAL_STATUSES)[number];

/** Whether a merge proposal is done: somebody has decided, and nothing is to be made of it any more. */
export function isProposalDone(status: MergeProposalStatus): boolean {
  return status === 'rejected' || status === 'merged';
}

/** Whether a proposal is published, by a landing that has completed its subticket, and nobody has said it is merged. */
export function isToBeMerged(
  status: MergeProposalStatus,
  { current_workflow_step: step }: { current_workflow_step: string },
): boolean {
  return step === String(COMPLETE) && !isProposalDone(status);
}

/**
 * The name of a git branch: what git takes (git-check-ref-format), of plain characters only, so that no part of it can
 * be taken for an option, a pattern or another ref.
 */
export const GIT_BRANCH =
  /^(?![-./])(?!.*(?:\.\.|\/\/|\/\.|\.lock(?:\/|$)))[A-Za-z0-9._/+=,%#-]{1,255}(?<![./])$/;
