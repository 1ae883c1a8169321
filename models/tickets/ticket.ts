import type { Sequelize, Transaction } from 'sequelize';
import type { WorkflowStep } from '../../domain/tickets/ticket.ts';
import {
  booleanColumn,
  defaulted,
  integerColumn,
  optionalIntegerColumn,
  optionalReferenceColumn,
  optionalTextColumn,
  textColumn,
} from '../sql/columns.ts';
import type { Condition } from '../sql/conditions.ts';
import { storedModel } from '../sql/stored-model.ts';

/** Tickets that have neither failed nor are Complete, in the words of the index `ticket_open`. */
export const OPEN: Condition = { sql: 'current_workflow_step < 999 AND status <> 999' };

/**
 * A bug fix or feature on its way through the engine (ticket service, "ticket"). It starts at Queued; a change of its
 * step or status becomes a row of its history.
 */
export function defineTicket(sequelize: Sequelize) {
  const columns = {
    owner: textColumn(),
    title: textColumn(),
    description: textColumn(),
    bugId: textColumn(),
    currentWorkflowStep: defaulted(integerColumn<WorkflowStep>()),
    status: defaulted(integerColumn()),
    /** The step that it failed at; null where it has not failed. A trigger keeps it and the reason. */
    failedAtStep: defaulted(optionalIntegerColumn<WorkflowStep>()),
    /** The subticket whose failure it is; null where the ticket failed by itself. */
    failedSubticketId: defaulted(optionalReferenceColumn()),
    failureReason: defaulted(optionalTextColumn()),
    /** That subticket stood for a merge proposal of which no source was made yet. */
    failedInMerge: defaulted(booleanColumn()),
  };

  return class Ticket extends storedModel(sequelize, 'ticket', columns, { isAudited: true }) {
    /**
     * The ticket, locked until the transaction ends: everything that changes its step, by what it was, or one of its
     * subtickets holds it. In another order than this, two could wait for each other: a landing, a build, their ticket,
     * and then a PPA of the pool, a run of a test, or a change of the landing, for which who lands the ticket anew
     * waits.
     */
    static async lock(id: number, transaction: Transaction): Promise<Ticket | null> {
      return this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    }

    /**
     * The ticket, which nobody changes until the transaction ends: for what decides by its step, and changes neither it
     * nor its subtickets. Any number of transactions hold it so at once.
     */
    static async lockShared(id: number, transaction: Transaction): Promise<Ticket | null> {
      return this.findByPk(id, { transaction, lock: transaction.LOCK.SHARE });
    }

    /**
     * Locks the ticket as a row that is added to it does later, for what first locks something that comes after the
     * ticket. Any number of transactions hold it so at once, and it may be changed meanwhile, but not locked.
     */
    static async lockKey(id: number, transaction: Transaction): Promise<void> {
      await this.findByPk(id, {
        attributes: ['id'],
        transaction,
        lock: transaction.LOCK.KEY_SHARE,
      });
    }
  };
}

export type TicketModel = ReturnType<typeof defineTicket>;
export type Ticket = InstanceType<TicketModel>;
