import type { Sequelize, Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { query } from '../sql/query.ts';

const LOCKED_BRANCH = `
  SELECT id, unique_name FROM branch WHERE id = (
    SELECT branch_id FROM merge_proposal JOIN subticket ON merge_proposal_id = merge_proposal.id WHERE subticket.id = $1
  ) FOR UPDATE`;
const UNFINISHED_BUILD = `
  SELECT build.id FROM build
  JOIN subticket ON subticket.id = subticket_id
  JOIN merge_proposal ON merge_proposal.id = merge_proposal_id
  WHERE finished_at IS NULL AND branch_id = $1 ORDER BY build.id LIMIT 1`;

/**
 * Holds the branch of a subticket's merge proposal until the transaction ends: it produces only one source package at a
 * time (ticket service, item 11).
 *
 * @throws AirlineError `branch_busy` where a build of it is under way
 */
export async function assertBranchIsFree(
  sequelize: Sequelize,
  subticketId: number,
  transaction: Transaction,
): Promise<void> {
  type Branch = { readonly id: number; readonly unique_name: string };
  const [branch] = await query<Branch>(sequelize, LOCKED_BRANCH, [subticketId], transaction);
  if (!branch) return;
  const [busy] = await query<{ readonly id: number }>(
    sequelize,
    UNFINISHED_BUILD,
    [branch.id],
    transaction,
  );
  if (busy)
    throw new AirlineError(
      'branch_busy',
      `Branch ${branch.unique_name.slice(0, 200)} is being built: see /api/v1/build/${busy.id}/.`,
    );
}
