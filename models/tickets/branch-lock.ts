import type { Sequelize, Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { query } from '../sql/query.ts';

/** It stays of its branch until the transaction ends: who changes that locks it, too. */
const LOCKED_PROPOSAL = `
  SELECT branch_id FROM merge_proposal WHERE id = (SELECT merge_proposal_id FROM subticket WHERE id = $1) FOR UPDATE`;
/** More than one row may have the name: a proposal that nests its branch makes one of its own. */
const LOCKED_BRANCHES = `
  SELECT unique_name FROM branch
  WHERE unique_name = (SELECT unique_name FROM branch WHERE id = $1) ORDER BY id FOR UPDATE`;
const BUILD_OF_PROPOSAL = `
  SELECT build.id FROM build
  JOIN subticket ON subticket.id = subticket_id
  WHERE finished_at IS NULL AND merge_proposal_id = $1 ORDER BY build.id LIMIT 1`;
const BUILD_OF_BRANCH = `
  SELECT build.id FROM build
  JOIN subticket ON subticket.id = subticket_id
  JOIN merge_proposal ON merge_proposal.id = merge_proposal_id
  WHERE finished_at IS NULL AND branch_id = $1 ORDER BY build.id LIMIT 1`;
const UNFINISHED_BUILD = `
  SELECT build.id FROM build
  JOIN subticket ON subticket.id = subticket_id
  JOIN merge_proposal ON merge_proposal.id = merge_proposal_id
  JOIN branch ON branch.id = branch_id
  WHERE finished_at IS NULL AND unique_name = $1 ORDER BY build.id LIMIT 1`;

/** A build that is under way. */
type Busy = { readonly id: number };

/**
 * Holds the branch of a subticket's merge proposal, which is known by its unique name, until the transaction ends: it
 * produces only one source package at a time (ticket service, item 11).
 *
 * @throws AirlineError `branch_busy` where a build of it is under way
 */
export async function assertBranchIsFree(
  sequelize: Sequelize,
  subticketId: number,
  transaction: Transaction,
): Promise<void> {
  type Proposal = { readonly branch_id: number };
  const [proposal] = await query<Proposal>(sequelize, LOCKED_PROPOSAL, [subticketId], transaction);
  if (!proposal) return;
  const name = await lockName(sequelize, proposal.branch_id, transaction);
  const [busy] = await query<Busy>(sequelize, UNFINISHED_BUILD, [name], transaction);
  if (busy)
    throw new AirlineError(
      'branch_busy',
      `Branch ${name.slice(0, 200)} is being built: see /api/v1/build/${busy.id}/.`,
    );
}

/** Locks all rows that have the name of a branch. @returns the name, which stays until the transaction ends */
async function lockName(
  sequelize: Sequelize,
  branchId: number,
  transaction: Transaction,
): Promise<string> {
  for (;;) {
    type Branch = { readonly unique_name: string };
    const [locked] = await query<Branch>(sequelize, LOCKED_BRANCHES, [branchId], transaction);
    if (locked) return locked.unique_name;
    // It was renamed while this waited for its row: it has another name now.
  }
}

/**
 * Asserts that a branch may get another unique name: its build would go on beside a new one under the name that it
 * gives up. The caller has locked the branch.
 *
 * @throws AirlineError `branch_busy` where a build of it is under way
 */
export async function assertMayRename(
  sequelize: Sequelize,
  branchId: number,
  transaction: Transaction,
): Promise<void> {
  const [busy] = await query<Busy>(sequelize, BUILD_OF_BRANCH, [branchId], transaction);
  if (busy)
    throw new AirlineError(
      'branch_busy',
      `Branch ${branchId} is being built: see /api/v1/build/${busy.id}/.`,
    );
}

/**
 * Asserts that a merge proposal may become one of another branch: its build would go on beside a new one of the branch
 * that it leaves. The caller has locked the proposal.
 *
 * @throws AirlineError `branch_busy` where a build of it is under way
 */
export async function assertMayChangeBranch(
  sequelize: Sequelize,
  proposalId: number,
  transaction: Transaction,
): Promise<void> {
  const [busy] = await query<Busy>(sequelize, BUILD_OF_PROPOSAL, [proposalId], transaction);
  if (busy)
    throw new AirlineError(
      'branch_busy',
      `Merge proposal ${proposalId} is being built: see /api/v1/build/${busy.id}/.`,
    );
}
