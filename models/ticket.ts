import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { QUEUED, type WorkflowStep } from '../domain/ticket.ts';
import { reviseRow } from './revise-row.ts';

type Submission = { owner: string; title: string; description: string; bugId: string };
type Position = { currentWorkflowStep: WorkflowStep; status: WorkflowStep };

/** A bug fix or feature on its way through the engine (ticket service, "ticket"). */
export class Ticket extends Model<InferAttributes<Ticket>, InferCreationAttributes<Ticket>> {
  declare readonly id: CreationOptional<number>;
  declare readonly owner: string;
  declare readonly title: string;
  declare readonly description: string;
  declare readonly bugId: string;
  declare readonly currentWorkflowStep: CreationOptional<WorkflowStep>;
  declare readonly status: CreationOptional<WorkflowStep>;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    Ticket.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        owner: { type: DataTypes.TEXT, allowNull: false },
        title: { type: DataTypes.TEXT, allowNull: false },
        description: { type: DataTypes.TEXT, allowNull: false },
        bugId: { type: DataTypes.TEXT, allowNull: false },
        currentWorkflowStep: { type: DataTypes.INTEGER, allowNull: false, defaultValue: QUEUED },
        status: { type: DataTypes.INTEGER, allowNull: false, defaultValue: QUEUED },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'ticket', underscored: true },
    );
  }

  /** Submits a ticket; it starts at Queued. */
  static async submit(submission: Submission): Promise<Ticket> {
    return Ticket.create(submission);
  }

  /** Changes what is given of a ticket, its step and status included. Null where there is no such ticket. */
  static async revise(id: number, changes: Partial<Submission & Position>): Promise<Ticket | null> {
    return reviseRow(Ticket, id, changes);
  }

  /** The ticket's row, locked until the transaction ends: everything that decides by its step holds it. */
  static async lockRow(id: number, transaction: Transaction): Promise<Ticket> {
    return Ticket.findByPk(id, {
      transaction,
      lock: transaction.LOCK.UPDATE,
      rejectOnEmpty: true,
    });
  }

  /** Takes the step and status that its subtickets give it. */
  async follow(position: Position, transaction: Transaction): Promise<void> {
    await this.update(position, { transaction });
  }
}
