import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { TICKET_ARTIFACT_TYPES } from '../domain/ticket.ts';
import { reviseRow } from './revise-row.ts';

type Attachment = {
  ticketId: number;
  name: string;
  reference: string;
  type: (typeof TICKET_ARTIFACT_TYPES)[number];
};

/** Test results, logs or an image that belong to a ticket. */
export class TicketArtifact extends Model<
  InferAttributes<TicketArtifact>,
  InferCreationAttributes<TicketArtifact>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly ticketId: number;
  declare readonly name: string;
  /** URL of the artifact. */
  declare readonly reference: string;
  declare readonly type: Attachment['type'];
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    TicketArtifact.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        ticketId: { type: DataTypes.INTEGER, allowNull: false },
        name: { type: DataTypes.TEXT, allowNull: false },
        reference: { type: DataTypes.TEXT, allowNull: false },
        type: { type: DataTypes.TEXT, allowNull: false },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'ticket_artifact', underscored: true },
    );
  }

  /** Attaches an artifact. */
  static async attach(attachment: Attachment): Promise<TicketArtifact> {
    return TicketArtifact.create(attachment);
  }

  /** Changes what is given of an artifact. Null where there is no such artifact. */
  static async revise(id: number, changes: Partial<Attachment>): Promise<TicketArtifact | null> {
    return reviseRow(TicketArtifact, id, changes);
  }
}
