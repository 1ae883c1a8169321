import type { Sequelize } from 'sequelize';
import type { MergeProposalStatus } from '../../domain/tickets/project.ts';
import { defaulted, referenceColumn, textColumn } from '../sql/columns.ts';
import { unconditional, type InTransaction } from '../sql/mutation-context.ts';
import { storedModel } from '../sql/stored-model.ts';

/** Somebody's proposal to merge a branch. */
export function defineMergeProposal(sequelize: Sequelize) {
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

  return class MergeProposal extends storedModel(sequelize, 'merge_proposal', columns) {
    /** Moves a proposal where its build has taken it. One that is there, or is gone, stays as it is. */
    static async moveTo(
      id: number,
      status: MergeProposalStatus,
      context: InTransaction,
    ): Promise<void> {
      const proposal = await this.findByPk(id, { transaction: context.transaction });
      if (proposal && proposal.status !== status)
        await this.updateOne(id, { status }, unconditional(context));
    }
  };
}

export type MergeProposalModel = ReturnType<typeof defineMergeProposal>;
export type MergeProposal = InstanceType<MergeProposalModel>;
