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
/** @param column of a subticket, a merge proposal or a branch that says of what the build is */
const unfinishedBuildBy = (column: 'merge_proposal_id' | 'branch_id' | 'unique_name') => `
  SELECT build.id FROM build
  JOIN subticket ON subticket.id = subticket_id
  JOIN merge_proposal ON merge_proposal.id = merge_proposal_id
  JOIN branch ON branch.id = branch_id
  WHERE finished_at IS NULL AND ${column} = $1 ORDER BY build.id LIMIT 1`;

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
  const shown = `Branch ${name.slice(0, 200)}`;
  await assertNotBuilt(sequelize, shown, ['unique_name', name], transaction);
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
  await assertNotBuilt(sequelize, `Branch ${branchId}`, ['branch_id', branchId], transaction);
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
  const shown = `Merge proposal ${proposalId}`;
  await assertNotBuilt(sequelize, shown, ['merge_proposal_id', proposalId], transaction);
}

/** @throws AirlineError `branch_busy` where a build of what is shown is under way */
async function assertNotBuilt(
  sequelize: Sequelize,
  shown: string,
  [column, value]: [Parameters<typeof unfinishedBuildBy>[0], number | string],
  transaction: Transaction,
): Promise<void> {
  type Busy = { readonly id: number };
  const [busy] = await query<Busy>(sequelize, unfinishedBuildBy(column), [value], transaction);
  if (busy)
    throw new AirlineError(
      'branch_busy',
      `${shown} is being built: see /api/v1/build/${busy.id}/.`,
    );
}
