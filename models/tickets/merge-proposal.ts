import type { Sequelize } from 'sequelize';
import { isProposalDone, type MergeProposalStatus } from '../../domain/tickets/project.ts';
import { defaulted, referenceColumn, textColumn, type Held } from '../sql/columns.ts';
import {
  unconditional,
  type InTransaction,
  type MutationContext,
} from '../sql/mutation-context.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertMayChangeBranch } from './branch-lock.ts';

const columns = {
  branchId: referenceColumn(),
  submitterId: referenceColumn(),
  status: textColumn<MergeProposalStatus>(),
  hostingWeblink: defaulted(textColumn()),
  sourceRepository: defaulted(textColumn()),
  sourceBranch: defaulted(textColumn()),
  targetRepository: defaulted(textColumn()),
  targetBranch: defaulted(textColumn()),
  packagingBranch: defaulted(textColumn()),
};

type Changes = Partial<Held<typeof columns>>;

/** Somebody's proposal to merge a branch. */
export function defineMergeProposal(sequelize: Sequelize) {
  return class MergeProposal extends storedModel(sequelize, 'merge_proposal', columns) {
    /**
     * Changes what is given of a merge proposal.
     *
     * @throws AirlineError `branch_busy` where it is to be one of another branch while a build of it is under way, and
     * what every change throws
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<MergeProposal | undefined> {
      if (changes.branchId === undefined) return super.updateOne(id, changes, context);
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        const found = await this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
        if (found && found.branchId !== changes.branchId)
          await assertMayChangeBranch(sequelize, id, transaction);
        return super.updateOne(id, changes, within);
      });
    }

    /**
     * Moves a proposal where its build or its subticket has taken it. One that is there, is gone or is done stays as it
     * is: what a person has decided meanwhile counts.
     */
    static async moveTo(
      id: number,
      status: MergeProposalStatus,
      context: InTransaction,
    ): Promise<void> {
      const { transaction } = context;
      const proposal = await this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
      if (proposal && proposal.status !== status && !isProposalDone(proposal.status))
        await this.updateOne(id, { status }, unconditional(context));
    }
  };
}

export type MergeProposalModel = ReturnType<typeof defineMergeProposal>;
export type MergeProposal = InstanceType<MergeProposalModel>;
