import type { Sequelize, Transaction } from 'sequelize';
import { AirlineError } from '../domain/errors.ts';
import {
  COMPLETE,
  hasFailed,
  QUEUED,
  rollUp,
  WORKFLOW_STEPS,
  type WorkflowStep,
} from '../domain/ticket.ts';
import type { BuildModel } from './build.ts';
import {
  defaulted,
  integerColumn,
  optionalReferenceColumn,
  referenceColumn,
  textColumn,
  type Given,
  type Held,
} from './columns.ts';
import type { InTransaction, MutationContext } from './mutation-context.ts';
import type { defineSourcePackageUpload } from './source-package-upload.ts';
import { storedModel } from './stored-model.ts';
import type { Ticket, TicketModel } from './ticket.ts';
import { atomically } from './transactions.ts';

const columns = {
  ticketId: referenceColumn(),
  sourcePackageUploadId: referenceColumn(),
  assignee: textColumn(),
  currentWorkflowStep: defaulted(integerColumn<WorkflowStep>()),
  status: defaulted(integerColumn()),
  /** The subticket that was added in its place after it had failed. */
  replacedById: defaulted(optionalReferenceColumn()),
};

type New = Given<typeof columns> & { readonly id?: number };
type Changes = Partial<Held<typeof columns>>;

/** One source package upload of a ticket (ticket service, "subticket"). It starts at Queued. */
export function defineSubticket(
  sequelize: Sequelize,
  {
    Ticket,
    SourcePackageUpload,
    Build,
  }: {
    Ticket: TicketModel;
    SourcePackageUpload: ReturnType<typeof defineSourcePackageUpload>;
    Build: BuildModel;
  },
) {
  class Subticket extends storedModel(sequelize, 'subticket', columns, { isAudited: true }) {
    /**
     * Adds a subticket to a ticket that is Queued and for which no build was requested (phase 0: no editing later).
     * Where a subticket of the same source package has failed it takes its place, and may do so later, too (phase 1).
     *
     * @throws AirlineError `conflict` where the ticket takes none, `unknown_reference` where there is no such ticket
     */
    static override async createOne(values: New, context: MutationContext): Promise<Subticket> {
      return atomically(sequelize, context, async (within) => {
        const ticket = await lockTicket(values.ticketId, within);
        const closed = await reasonNotToAdd(ticket, within.transaction);
        const failed =
          ticket.currentWorkflowStep === COMPLETE
            ? undefined
            : await this.failedLike(values, within.transaction);
        if (closed !== undefined && !failed)
          throw new AirlineError(
            'conflict',
            `${closed} Subtickets are added before that; later only in place of a failed one of the same source package.`,
          );
        const subticket = await super.createOne(values, within);
        if (failed)
          await super.updateOne(failed.id, { replacedById: subticket.id }, unconditional(within));
        return subticket;
      });
    }

    /**
     * Changes what is given of a subticket. A changed step or status carries over to its ticket in the same
     * transaction (`rollUp`); the ticket is locked first, so that subtickets that end at once take turns.
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
        const subticket = await super.updateOne(id, changes, within);
        if (
          subticket &&
          (changes.currentWorkflowStep !== undefined || changes.status !== undefined)
        )
          await this.rollUpInto(ticket, within);
        return subticket;
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

    /** The failed subticket of the same ticket and source package that nothing was added in place of yet. */
    private static async failedLike(
      { ticketId, sourcePackageUploadId }: New,
      transaction: Transaction,
    ): Promise<Subticket | undefined> {
      const upload = await SourcePackageUpload.findByPk(sourcePackageUploadId, { transaction });
      if (!upload) return undefined;
      const { sourcePackageId } = upload;
      const alike = await this.findAll({
        where: { ticketId, replacedById: null },
        include: { association: 'sourcePackageUpload', attributes: [], where: { sourcePackageId } },
        order: ['id'],
        transaction,
      });
      return alike.find(hasFailed);
    }

    private static async rollUpInto(ticket: Ticket, context: InTransaction): Promise<void> {
      // Those that nothing was added in place of count for their ticket.
      const subtickets = await this.findAll({
        where: { ticketId: ticket.id, replacedById: null },
        order: ['id'],
        transaction: context.transaction,
      });
      const { currentWorkflowStep, status } = rollUp(ticket, subtickets);
      if (currentWorkflowStep === ticket.currentWorkflowStep && status === ticket.status) return;
      const failed = subtickets.find(hasFailed);
      const reason = failed
        ? `subticket ${failed.id} has failed`
        : `no subticket is before ${WORKFLOW_STEPS[currentWorkflowStep]}`;
      await Ticket.updateOne(
        ticket.id,
        { currentWorkflowStep, status },
        { ...unconditional(context), reason },
      );
    }
  }
  return Subticket;

  async function lockTicket(id: number, { transaction }: InTransaction): Promise<Ticket> {
    const ticket = await Ticket.lock(id, transaction);
    if (!ticket) throw new AirlineError('unknown_reference', `There is no ticket ${id}.`);
    return ticket;
  }

  async function reasonNotToAdd(
    ticket: Ticket,
    transaction: Transaction,
  ): Promise<string | undefined> {
    if (ticket.currentWorkflowStep !== QUEUED)
      return `Ticket ${ticket.id} is at ${WORKFLOW_STEPS[ticket.currentWorkflowStep]}.`;
    if (await Build.wasRequestedFor(ticket.id, transaction))
      return `A build of ticket ${ticket.id} was requested.`;
    return undefined;
  }
}

/** The caller's condition is on the row that it names, not on those that change with it. */
function unconditional(context: InTransaction): InTransaction {
  return { ...context, ifRevision: undefined };
}
