import {
  DataTypes,
  Model,
  UniqueConstraintError,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import { AirlineError } from '../domain/errors.ts';
import { reviseRow } from './revise-row.ts';

/** A source package of the archive, recorded the first time that changes to it are submitted. */
export class SourcePackage extends Model<
  InferAttributes<SourcePackage>,
  InferCreationAttributes<SourcePackage>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly name: string;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;

  static initOn(sequelize: Sequelize): void {
    SourcePackage.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        name: { type: DataTypes.TEXT, allowNull: false },
        createdAt: DataTypes.DATE,
        updatedAt: DataTypes.DATE,
      },
      { sequelize, tableName: 'source_package', underscored: true },
    );
  }

  /**
   * Adds a source package.
   *
   * @throws AirlineError `conflict` where there is one of that name
   */
  static async add(values: { name: string }): Promise<SourcePackage> {
    return refuseTakenName(values.name, () => SourcePackage.create(values));
  }

  /** Changes what is given of a source package. Null where there is no such package. */
  static async revise(
    id: number,
    changes: Partial<{ name: string }>,
  ): Promise<SourcePackage | null> {
    return refuseTakenName(changes.name, async () => {
      return reviseRow(SourcePackage, id, changes);
    });
  }
}

async function refuseTakenName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintError) || name === undefined) throw error;
    const existing = await SourcePackage.findOne({ where: { name }, raw: true });
    throw new AirlineError(
      'conflict',
      `There is a source package ${JSON.stringify(name)}: /api/v1/sourcepackage/${existing?.id ?? ''}/`,
      { cause: error },
    );
  }
}
