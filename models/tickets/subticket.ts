import { Op, type Sequelize, type Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import {
  COMPLETE,
  FAILED,
  hasFailed,
  QUEUED,
  WORKFLOW_STEPS,
  type Position,
  type WorkflowStep,
} from '../../domain/tickets/ticket.ts';
import {
  defaulted,
  integerColumn,
  optionalIntegerColumn,
  optionalReferenceColumn,
  optionalTextColumn,
  referenceColumn,
  textColumn,
  type Given,
  type Held,
} from '../sql/columns.ts';
import type { MergeProposalModel } from './merge-proposal.ts';
import {
  unconditional,
  type InTransaction,
  type MutationContext,
} from '../sql/mutation-context.ts';
import { assertNoLandingUnderWay, assertNothingRequested, requestedOf } from './requested-of.ts';
import type { SourcePackageUpload, SourcePackageUploadModel } from './source-package-upload.ts';
import { storedModel } from '../sql/stored-model.ts';
import { followSubtickets } from './ticket-roll-up.ts';
import type { Ticket, TicketModel } from './ticket.ts';
import { atomically } from '../sql/transactions.ts';

const columns = {
  ticketId: referenceColumn(),
  /** Null of a merge proposal whose source is not made, or cannot be made any more. */
  sourcePackageUploadId: optionalReferenceColumn(),
  mergeProposalId: defaulted(optionalReferenceColumn()),
  assignee: textColumn(),
  currentWorkflowStep: defaulted(integerColumn<WorkflowStep>()),
  status: defaulted(integerColumn()),
  /** The step that it failed at; null where it has not failed. A trigger keeps it and the reason. */
  failedAtStep: defaulted(optionalIntegerColumn<WorkflowStep>()),
  failureReason: defaulted(optionalTextColumn()),
  /** The subticket that was added in its place after it had failed. */
  replacedById: defaulted(optionalReferenceColumn()),
};

/** What `hasFailed` says of a row. */
const IS_FAILED = { [Op.or]: [{ currentWorkflowStep: FAILED }, { status: FAILED }] };

type New = Given<typeof columns> & {
  readonly id?: number;
  readonly mergeProposalId?: number | null;
};
type Changes = Partial<Held<typeof columns>>;

/** What a deployment decides about tickets. */
export type TicketRules = {
  /**
   * Phase 0: a subticket stands for an upload, and when it fails, the developer submits a new ticket. Phase 1: it may
   * stand for a merge proposal, and one that failed may be replaced.
   */
  readonly phase: '0' | '1';
};

/** One source package upload, or one merge proposal, of a ticket (ticket service, "subticket"). It starts at Queued. */
export function defineSubticket(
  sequelize: Sequelize,
  {
    Ticket,
    SourcePackageUpload,
    MergeProposal,
  }: {
    Ticket: TicketModel;
    SourcePackageUpload: SourcePackageUploadModel;
    MergeProposal: MergeProposalModel;
  },
  { phase }: TicketRules,
) {
  class Subticket extends storedModel(sequelize, 'subticket', columns, { isAudited: true }) {
    /**
     * Adds a subticket to a ticket that is Queued, of which nothing was requested (phase 0: no editing later).
     * Where a subticket has failed it takes its place, and may do so later, too (phase 1); its ticket goes on then.
     *
     * @throws AirlineError `invalid_field` unless it stands for either an upload or a merge proposal, `conflict` where
     * the ticket takes none, `phase_forbids_replacement`, `phase_forbids_proposals`, `ticket_under_way` where the one
     * that it takes the place of is being landed, `unknown_reference` where there is no such ticket
     */
    static override async createOne(values: New, context: MutationContext): Promise<Subticket> {
      assertOneSubject(values);
      if (phase === '0' && values.mergeProposalId)
        throw new AirlineError(
          'phase_forbids_proposals',
          'A subticket cannot stand for a merge proposal.',
        );
      return atomically(sequelize, context, async (within) => {
        const ticket = await lockTicket(values.ticketId, within);
        const closed = await this.reasonNotToAdd(ticket, within.transaction);
        const failed = await this.failedBefore(values, ticket, within.transaction);
        if (closed !== undefined && !failed)
          throw new AirlineError(
            'conflict',
            `${closed} Subtickets are added before that; later only in place of a failed one, of a source package that no other subticket stands for.`,
          );
        if (failed && phase === '0')
          throw new AirlineError(
            'phase_forbids_replacement',
            `Subticket ${failed.id} of ticket ${ticket.id} has failed, and stays as it is.`,
          );
        if (failed)
          await assertNoLandingUnderWay(
            sequelize,
            ticket.id,
            `subticket ${failed.id} is not replaced`,
            within.transaction,
          );
        const subticket = await super.createOne(values, within);
        if (failed) {
          await super.updateOne(failed.id, { replacedById: subticket.id }, unconditional(within));
          await this.rollUpInto(ticket, within);
        }
        return subticket;
      });
    }

    /**
     * Changes what is given of a subticket. A step or status that is another than before carries over to its ticket in
     * the same transaction (`rollUp`); the ticket is locked first, so that subtickets that end at once take turns. The
     * merge proposal of one that becomes Complete, and has not failed by its status, is merged, unless another has
     * taken its place, it is rejected, or a landing makes it Complete, which pushes nothing.
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<Subticket | undefined> {
      return atomically(sequelize, context, async (within) => {
        const found = await this.findByPk(id, { transaction: within.transaction });
        if (!found) return undefined;
        const ticket = await lockTicket(found.ticketId, within);
        const before = await this.findByPk(id, { transaction: within.transaction });
        const subticket = await super.updateOne(id, changes, within);
        // A request that comes once more, because its answer was lost, undoes nothing that was said since.
        if (!before || !subticket || isAtOnePlace(before, subticket)) return subticket;
        await this.rollUpInto(ticket, within, id);
        const { mergeProposalId, currentWorkflowStep } = subticket;
        if (within.isLanding || before.replacedById !== null) return subticket;
        if (mergeProposalId && currentWorkflowStep === COMPLETE && !hasFailed(subticket))
          await MergeProposal.moveTo(mergeProposalId, 'merged', within);
        return subticket;
      });
    }

    /**
     * Deletes a subticket that was never moved. Its ticket follows those that are left.
     *
     * @throws AirlineError `ticket_under_way` once a build was requested, or while the ticket is being landed, and
     * what every deletion throws
     */
    static override async deleteOne(id: number, context: MutationContext): Promise<boolean> {
      return atomically(sequelize, context, async (within) => {
        const found = await this.findByPk(id, { transaction: within.transaction });
        if (!found) return false;
        const ticket = await lockTicket(found.ticketId, within);
        const stays = `subticket ${id} stays`;
        await assertNothingRequested(sequelize, [ticket.id], stays, within.transaction);
        const isDeleted = await super.deleteOne(id, within);
        if (isDeleted) await this.rollUpInto(ticket, within);
        return isDeleted;
      });
    }

    /** A change of a subticket locks its ticket. */
    static override async lockAll(ids: readonly number[], transaction: Transaction): Promise<void> {
      const subtickets = await this.findAll({ where: { id: [...ids] }, transaction });
      await Ticket.lockAll(
        subtickets.map(({ ticketId }) => ticketId),
        transaction,
      );
    }

    /**
     * The failed subticket that a new one takes the place of: the one of the same source package or merge proposal,
     * else the one that came first. None where another subticket stands for that.
     */
    private static async failedBefore(
      { sourcePackageUploadId, mergeProposalId }: New,
      ticket: Ticket,
      transaction: Transaction,
    ): Promise<Subticket | undefined> {
      if (ticket.currentWorkflowStep === COMPLETE) return undefined;
      const ofTicket = { ticketId: ticket.id, replacedById: null };
      // Mostly none has failed, and a new ticket may get a thousand, one by one.
      if (!(await this.findOne({ where: { ...ofTicket, ...IS_FAILED }, transaction })))
        return undefined;
      const upload =
        sourcePackageUploadId &&
        (await SourcePackageUpload.findByPk(sourcePackageUploadId, { transaction }));
      if (sourcePackageUploadId && !upload) return undefined;
      const current = await this.findAll({
        where: ofTicket,
        include: 'sourcePackageUpload',
        order: ['id'],
        transaction,
      });
      const alike = current.filter((one) =>
        upload
          ? (one.get('sourcePackageUpload') as SourcePackageUpload | null)?.sourcePackageId ===
            upload.sourcePackageId
          : one.mergeProposalId === mergeProposalId,
      );
      return alike.length > 0 ? alike.find(hasFailed) : current.find(hasFailed);
    }

    private static async reasonNotToAdd(
      ticket: Ticket,
      transaction: Transaction,
    ): Promise<string | undefined> {
      if (ticket.currentWorkflowStep !== QUEUED)
        return `Ticket ${ticket.id} is at ${WORKFLOW_STEPS[ticket.currentWorkflowStep]}.`;
      const requested = await requestedOf(sequelize, [ticket.id], transaction);
      if (requested !== undefined) return `${requested}.`;
      const replaced = { ticketId: ticket.id, replacedById: { [Op.not]: null } };
      if (await this.findOne({ where: replaced, attributes: ['id'], transaction }))
        return `A subticket of ticket ${ticket.id} has failed and was replaced.`;
      return undefined;
    }

    /**
     * Moves a ticket where those of its subtickets take it that nothing was added in place of.
     *
     * @param ticket locked in the transaction, as it is now
     * @param movedId the subticket whose step or status has changed, where it is that
     */
    static async rollUpInto(
      ticket: Ticket,
      context: InTransaction,
      movedId?: number,
    ): Promise<void> {
      const current = await this.findAll({
        where: { ticketId: ticket.id, replacedById: null },
        order: ['id'],
        transaction: context.transaction,
      });
      await followSubtickets(Ticket, ticket, current, movedId, context);
    }
  }
  return Subticket;

  async function lockTicket(id: number, { transaction }: InTransaction): Promise<Ticket> {
    const ticket = await Ticket.lock(id, transaction);
    if (!ticket) throw new AirlineError('unknown_reference', `There is no ticket ${id}.`);
    return ticket;
  }
}

function isAtOnePlace(one: Position, other: Position): boolean {
  return one.currentWorkflowStep === other.currentWorkflowStep && one.status === other.status;
}

/** It stands for either an upload or a merge proposal (ticket service, item 5). The first text is Tastypie's. */
function assertOneSubject({ sourcePackageUploadId, mergeProposalId }: New): void {
  if (!sourcePackageUploadId && !mergeProposalId)
    throw new AirlineError(
      'invalid_field',
      "The 'source_package_upload' field has no data and doesn't allow a default or null value.",
    );
  if (sourcePackageUploadId && mergeProposalId)
    throw new AirlineError(
      'invalid_field',
      'Give either source_package_upload or merge_proposal: a subticket stands for one of them.',
      { fields: { merge_proposal: ['Leave it out where there is an upload.'] } },
    );
}

export type SubticketModel = ReturnType<typeof defineSubticket>;
export type Subticket = InstanceType<SubticketModel>;
