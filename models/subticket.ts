import { AirlineError } from '../domain/errors.ts';
import {
  COMPLETE,
  hasFailed,
  QUEUED,
  rollUp,
  WORKFLOW_STEPS,
  type WorkflowStep,
} from '../domain/ticket.ts';
import { Build } from './build.ts';
import {
  defaulted,
  integerColumn,
  optionalReferenceColumn,
  referenceColumn,
  textColumn,
  type Given,
  type Held,
} from './columns.ts';
import { selectAll, selectRow } from './select-rows.ts';
import { SourcePackageUpload } from './source-package-upload.ts';
import { storedModel, type StoredRow } from './stored-model.ts';
import { sequelizeOf } from './table.ts';
import { Ticket, type TicketRow } from './ticket.ts';
import { atomically, tellTrigger, type Work } from './work.ts';
import { insertRow, reviseRow } from './write-row.ts';

const columns = {
  ticketId: referenceColumn(),
  sourcePackageUploadId: referenceColumn(),
  assignee: textColumn(),
  currentWorkflowStep: defaulted(integerColumn<WorkflowStep>()),
  status: defaulted(integerColumn<WorkflowStep>()),
  /** The subticket that was added in its place after it had failed. */
  replacedById: defaulted(optionalReferenceColumn()),
};

type New = Given<typeof columns> & { readonly id?: number };
type SubticketRow = StoredRow<Held<typeof columns>>;
type Within = Work & { readonly transaction: NonNullable<Work['transaction']> };

/** One source package upload of a ticket (ticket service, "subticket"). It starts at Queued. */
export class Subticket extends storedModel('subticket', columns) {
  /**
   * Adds a subticket to a ticket that is Queued and for which no build was requested (phase 0: no editing later).
   * Where a subticket of the same source package has failed it takes its place, and may do so later, too (phase 1).
   *
   * @throws AirlineError `conflict` where the ticket takes none, `unknown_reference` where there is no such ticket
   */
  static override async add(values: New, work: Work): Promise<SubticketRow> {
    return atomically(sequelizeOf(Subticket), work, async (within) => {
      const ticket = await lockTicket(values.ticketId, within);
      const closed = await reasonNotToAdd(ticket, within);
      const failed =
        ticket.currentWorkflowStep === COMPLETE ? undefined : await failedLike(values, within);
      if (closed !== undefined && !failed)
        throw new AirlineError(
          'conflict',
          `${closed} Subtickets are added before that; later only in place of a failed one of the same source package.`,
        );
      const subticket = (await insertRow(Subticket, values, within)).row as SubticketRow;
      if (failed)
        await reviseRow(
          Subticket,
          failed.id,
          { replacedById: subticket.id },
          unconditional(within),
        );
      return subticket;
    });
  }

  /**
   * Changes what is given of a subticket. A changed step or status carries over to its ticket in the same
   * transaction (`rollUp`); the ticket is locked first, so that subtickets that end at once take turns.
   */
  static override async revise(
    id: number,
    changes: Partial<Held<typeof columns>>,
    work: Work,
  ): Promise<SubticketRow | undefined> {
    return atomically(sequelizeOf(Subticket), work, async (within) => {
      const found = (await selectRow(Subticket, id, within)) as SubticketRow | undefined;
      if (!found) return undefined;
      const ticket = await lockTicket(found.ticketId, within);
      const subticket = await reviseRow(Subticket, id, changes, within, tellTrigger(within));
      if (subticket && (changes.currentWorkflowStep !== undefined || changes.status !== undefined))
        await rollUpInto(ticket, within);
      return subticket as SubticketRow | undefined;
    });
  }

  /** Who changes a subticket holds its ticket. */
  static override async lockAll(
    ids: readonly number[],
    transaction: Within['transaction'],
  ): Promise<void> {
    const condition = { attribute: 'id', lookup: 'in', values: ids } as const;
    const subtickets = (await selectAll(Subticket, [condition], transaction)) as SubticketRow[];
    const ticketIds = subtickets.map(({ ticketId }) => ticketId);
    await Ticket.lockAll(ticketIds, transaction);
  }
}

async function lockTicket(id: number, { transaction }: Within): Promise<TicketRow> {
  const ticket = await Ticket.lock(id, transaction);
  if (!ticket) throw new AirlineError('unknown_reference', `There is no ticket ${id}.`);
  return ticket;
}

async function reasonNotToAdd(
  ticket: TicketRow,
  { transaction }: Within,
): Promise<string | undefined> {
  if (ticket.currentWorkflowStep !== QUEUED)
    return `Ticket ${ticket.id} is at ${WORKFLOW_STEPS[ticket.currentWorkflowStep]}.`;
  if (await Build.wasRequestedFor(ticket.id, transaction))
    return `A build of ticket ${ticket.id} was requested.`;
  return undefined;
}

/** The failed subticket of the same ticket and source package that nothing was added in place of yet. */
async function failedLike({ ticketId, sourcePackageUploadId }: New, { transaction }: Within) {
  const upload = await selectRow(SourcePackageUpload, sourcePackageUploadId, { transaction });
  const ofPackage = {
    attribute: 'sourcePackageUploadId',
    lookup: 'refers',
    model: SourcePackageUpload,
    conditions: [
      { attribute: 'sourcePackageId', lookup: 'exact', value: upload?.['sourcePackageId'] },
    ],
  } as const;
  return (await standing(ticketId, transaction, [ofPackage])).find(hasFailed);
}

/** The subtickets that count for their ticket. */
async function standing(
  ticketId: number,
  transaction: Within['transaction'],
  further: Parameters<typeof selectAll>[1] = [],
): Promise<readonly SubticketRow[]> {
  const conditions = [
    { attribute: 'ticketId', lookup: 'exact', value: ticketId },
    { attribute: 'replacedById', lookup: 'isnull', isNull: true },
    ...further,
  ] as const;
  return (await selectAll(Subticket, conditions, transaction)) as readonly SubticketRow[];
}

async function rollUpInto(ticket: TicketRow, within: Within): Promise<void> {
  const subtickets = await standing(ticket.id, within.transaction);
  const next = rollUp(ticket, subtickets);
  const { currentWorkflowStep, status } = next;
  if (currentWorkflowStep === ticket.currentWorkflowStep && status === ticket.status) return;
  const failed = subtickets.find(hasFailed);
  const reason = failed
    ? `subticket ${failed.id} has failed`
    : `no subticket is before ${WORKFLOW_STEPS[currentWorkflowStep]}`;
  await Ticket.revise(
    ticket.id,
    { currentWorkflowStep, status },
    { ...unconditional(within), reason },
  );
}

/** The caller's condition is on the row that it names, not on those that change with it. */
function unconditional(work: Within): Within {
  return { ...work, ifRevision: undefined };
}
