import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import { reviseRow } from './revise-row.ts';

/** A version of a source package that a developer uploads (SPU). */
export class SourcePackageUpload extends Model<
  InferAttributes<SourcePackageUpload>,
  InferCreationAttributes<SourcePackageUpload>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly sourcePackageId: number;
  declare readonly version: string;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    SourcePackageUpload.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        sourcePackageId: { type: DataTypes.INTEGER, allowNull: false },
        version: { type: DataTypes.TEXT, allowNull: false },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'source_package_upload', underscored: true },
    );
  }

  /** Adds an upload of a source package. */
  static async add(values: {
    sourcePackageId: number;
    version: string;
  }): Promise<SourcePackageUpload> {
    return SourcePackageUpload.create(values);
  }

  /** Changes what is given of an upload. Null where there is no such upload. */
  static async revise(
    id: number,
    changes: Partial<{ sourcePackageId: number; version: string }>,
  ): Promise<SourcePackageUpload | null> {
    return reviseRow(SourcePackageUpload, id, changes);
  }
}
