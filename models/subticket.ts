import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { AirlineError } from '../domain/errors.ts';
import { QUEUED, rollUp, WORKFLOW_STEPS, type WorkflowStep } from '../domain/ticket.ts';
import { Build } from './build.ts';
import { Ticket } from './ticket.ts';
import { reviseRow } from './revise-row.ts';

type Opening = { ticketId: number; sourcePackageUploadId: number; assignee: string };
type Revision = { assignee: string; currentWorkflowStep: WorkflowStep; status: WorkflowStep };

/** One source package upload of a ticket (ticket service, "subticket"). */
export class Subticket extends Model<
  InferAttributes<Subticket>,
  InferCreationAttributes<Subticket>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly ticketId: number;
  declare readonly sourcePackageUploadId: number;
  declare readonly assignee: string;
  declare readonly currentWorkflowStep: CreationOptional<WorkflowStep>;
  declare readonly status: CreationOptional<WorkflowStep>;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    Subticket.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        ticketId: { type: DataTypes.INTEGER, allowNull: false },
        sourcePackageUploadId: { type: DataTypes.INTEGER, allowNull: false },
        assignee: { type: DataTypes.TEXT, allowNull: false },
        currentWorkflowStep: { type: DataTypes.INTEGER, allowNull: false, defaultValue: QUEUED },
        status: { type: DataTypes.INTEGER, allowNull: false, defaultValue: QUEUED },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'subticket', underscored: true },
    );
  }

  /**
   * Opens a subticket of a ticket that is Queued and for which no build was requested (phase 0: no editing later).
   *
   * @throws AirlineError `conflict` where the ticket is past that
   */
  static async open(opening: Opening): Promise<Subticket> {
    return Subticket.database.transaction(async (transaction) => {
      const ticket = await Ticket.lockRow(opening.ticketId, transaction);
      if (ticket.currentWorkflowStep !== QUEUED)
        throw new AirlineError(
          'conflict',
          `Ticket ${ticket.id} is at ${WORKFLOW_STEPS[ticket.currentWorkflowStep as WorkflowStep]}; subtickets are added while it is Queued.`,
        );
      if (await Build.wasRequestedFor(ticket.id, transaction))
        throw new AirlineError(
          'conflict',
          `A build of ticket ${ticket.id} was requested; subtickets are added before that.`,
        );
      return Subticket.create(opening, { transaction });
    });
  }

  /**
   * Changes what is given of a subticket. A changed step or status carries over to its ticket in the same
   * transaction (`rollUp`); the ticket is locked first, so that subtickets that end at once take turns.
   *
   * @returns null where there is no such subticket
   */
  static async revise(id: number, changes: Partial<Revision>): Promise<Subticket | null> {
    return Subticket.database.transaction(async (transaction) => {
      const found = await Subticket.findByPk(id, { transaction, attributes: ['ticketId'] });
      if (!found) return null;
      const ticket = await Ticket.lockRow(found.ticketId, transaction);
      const subticket = await reviseRow(Subticket, id, changes, transaction);
      if (!subticket) return null;
      if (changes.currentWorkflowStep !== undefined || changes.status !== undefined)
        await rollUpInto(ticket, transaction);
      return subticket;
    });
  }

  private static get database(): Sequelize {
    if (!Subticket.sequelize) throw new Error('Subticket.initOn was not called');
    return Subticket.sequelize;
  }
}

async function rollUpInto(ticket: Ticket, transaction: Transaction): Promise<void> {
  const siblings = await Subticket.findAll({ where: { ticketId: ticket.id }, transaction });
  const current = { step: ticket.currentWorkflowStep, status: ticket.status };
  const next = rollUp(
    current,
    siblings.map(({ currentWorkflowStep, status }) => ({ step: currentWorkflowStep, status })),
  );
  if (next.step !== current.step || next.status !== current.status)
    await ticket.follow({ currentWorkflowStep: next.step, status: next.status }, transaction);
}
