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
