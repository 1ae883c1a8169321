import type { Transaction } from 'sequelize';
import type { WorkflowStep } from '../domain/ticket.ts';
import { defaulted, integerColumn, textColumn, type Held } from './columns.ts';
import { selectRow, type Condition } from './select-rows.ts';
import { storedModel, type StoredRow } from './stored-model.ts';
import { tellTrigger, type Work } from './work.ts';
import { reviseRow } from './write-row.ts';

/** Tickets that are neither Failed nor Complete, in the words of the index `ticket_open`. */
export const OPEN: Condition = { sql: 'current_workflow_step < 999' };

const columns = {
  owner: textColumn(),
  title: textColumn(),
  description: textColumn(),
  bugId: textColumn(),
  currentWorkflowStep: defaulted(integerColumn<WorkflowStep>()),
  status: defaulted(integerColumn<WorkflowStep>()),
};

export type TicketRow = StoredRow<Held<typeof columns>>;

/** A bug fix or feature on its way through the engine (ticket service, "ticket"). It starts at Queued. */
export class Ticket extends storedModel('ticket', columns) {
  /** Changes what is given of a ticket; a change of its step or status becomes a row of its history. */
  static override async revise(
    id: number,
    changes: Partial<Held<typeof columns>>,
    work: Work,
  ): Promise<TicketRow | undefined> {
    return (await reviseRow(Ticket, id, changes, work, tellTrigger(work))) as TicketRow | undefined;
  }

  /**
   * The ticket, locked until the transaction ends: everything that decides by its step or changes one of its
   * subtickets holds it.
   */
  static async lock(id: number, transaction: Transaction): Promise<TicketRow | undefined> {
    return (await selectRow(Ticket, id, { transaction, lock: true })) as TicketRow | undefined;
  }
}
