import type { Sequelize, Transaction } from 'sequelize';
import { isProposalDone, type MergeProposalStatus } from '../../domain/tickets/project.ts';
import { COMPLETE } from '../../domain/tickets/ticket.ts';
import { defaulted, referenceColumn, textColumn, type Held } from '../sql/columns.ts';
import {
  unconditional,
  type InTransaction,
  type MutationContext,
} from '../sql/mutation-context.ts';
import { query } from '../sql/query.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertMayChangeBranch } from './branch-lock.ts';
import { assertNoLandingUnderWay } from './requested-of.ts';

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

/** Tickets of proposals that are not out, locked: a landing of them is requested before or after, but not meanwhile. */
const LOCKED_TICKETS = `
  SELECT id FROM ticket WHERE id IN (
    SELECT ticket_id FROM subticket
    WHERE merge_proposal_id = ANY($1) AND replaced_by_id IS NULL AND current_workflow_step <> $2
  ) ORDER BY id FOR UPDATE`;

/** Somebody's proposal to merge a branch. */
export function defineMergeProposal(sequelize: Sequelize) {
  return class MergeProposal extends storedModel(sequelize, 'merge_proposal', columns) {
    /**
     * Changes what is given of a merge proposal.
     *
     * @throws AirlineError `branch_busy` where it is to be one of another branch while a build of it is under way,
     * `ticket_under_way` where it is to be rejected while it is landed, and what every change throws
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<MergeProposal | undefined> {
      const isRejected = changes.status === 'rejected';
      if (changes.branchId === undefined && !isRejected)
        return super.updateOne(id, changes, context);
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        const ticketIds = isRejected ? await lockTicketsOf([id], transaction) : [];
        const found = await this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
        if (found && changes.branchId !== undefined && found.branchId !== changes.branchId)
          await assertMayChangeBranch(sequelize, id, transaction);
        const stays = `merge proposal ${id} stays as it is: cancel the landing first`;
        if (found && isRejected && found.status !== 'rejected')
          for (const ticketId of ticketIds)
            await assertNoLandingUnderWay(sequelize, ticketId, stays, transaction);
        return super.updateOne(id, changes, within);
      });
    }

    /** A change of a proposal locks its tickets first. */
    static override async lockAll(ids: readonly number[], transaction: Transaction): Promise<void> {
      await lockTicketsOf(ids, transaction);
      await super.lockAll(ids, transaction);
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

  /** Locks the tickets whose landings publish one of these proposals. @returns their ids */
  async function lockTicketsOf(
    proposalIds: readonly number[],
    transaction: Transaction,
  ): Promise<number[]> {
    type Id = { readonly id: number };
    const tickets = await query<Id>(
      sequelize,
      LOCKED_TICKETS,
      [[...proposalIds], COMPLETE],
      transaction,
    );
    return tickets.map(({ id }) => id);
  }
}

export type MergeProposalModel = ReturnType<typeof defineMergeProposal>;
export type MergeProposal = InstanceType<MergeProposalModel>;
