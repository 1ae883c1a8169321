import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { SUBTICKET_ARTIFACT_TYPES } from '../domain/ticket.ts';
import { reviseRow } from './revise-row.ts';

type Attachment = {
  subticketId: number;
  name: string;
  reference: string;
  type: (typeof SUBTICKET_ARTIFACT_TYPES)[number];
};

/** An upload's files, test results or logs that belong to a subticket. */
export class SubticketArtifact extends Model<
  InferAttributes<SubticketArtifact>,
  InferCreationAttributes<SubticketArtifact>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly subticketId: number;
  declare readonly name: string;
  /** URL of the artifact. */
  declare readonly reference: string;
  declare readonly type: Attachment['type'];
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    SubticketArtifact.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        subticketId: { type: DataTypes.INTEGER, allowNull: false },
        name: { type: DataTypes.TEXT, allowNull: false },
        reference: { type: DataTypes.TEXT, allowNull: false },
        type: { type: DataTypes.TEXT, allowNull: false },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'subticket_artifact', underscored: true },
    );
  }

  /** Attaches an artifact. */
  static async attach(attachment: Attachment): Promise<SubticketArtifact> {
    return SubticketArtifact.create(attachment);
  }

  /** Changes what is given of an artifact. Null where there is no such artifact. */
  static async revise(id: number, changes: Partial<Attachment>): Promise<SubticketArtifact | null> {
    return reviseRow(SubticketArtifact, id, changes);
  }
}
