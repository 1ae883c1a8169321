import {
  DataTypes,
  Model,
  Op,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { PackageVersion } from '../../domain/packages/source-file.ts';

/**
 * One version of a source package that a PPA of the pool ever had. Launchpad takes no version twice, deleted or not, so
 * these rows stay for ever.
 */
export function definePpaPast(sequelize: Sequelize) {
  class PpaPast extends Model<InferAttributes<PpaPast>, InferCreationAttributes<PpaPast>> {
    declare readonly ppa: string;
    declare readonly source: string;
    declare readonly version: string;
    /** The landing that it was uploaded for; null where it was found there. */
    declare readonly landingId: number | null;
    declare readonly createdAt: Date;

    /** Adds what is uploaded to a PPA, or was found there. What is known stays as it is. */
    static async record(
      ppa: string,
      packages: readonly PackageVersion[],
      landingId: number | null,
      transaction?: Transaction,
    ): Promise<void> {
      const createdAt = new Date();
      await PpaPast.bulkCreate(
        packages.map(({ source, version }) => ({ ppa, source, version, landingId, createdAt })),
        { ignoreDuplicates: true, transaction: transaction ?? null },
      );
    }

    /** The versions of some source packages that landings have uploaded to a PPA. */
    static async ofLandings(ppa: string, sources: readonly string[]): Promise<PackageVersion[]> {
      const rows = await PpaPast.findAll({
        where: { ppa, source: [...new Set(sources)], landingId: { [Op.not]: null } },
      });
      return rows.map(({ source, version }) => ({ source, version }));
    }
  }

  PpaPast.init(
    {
      ppa: { type: DataTypes.TEXT, primaryKey: true },
      source: { type: DataTypes.TEXT, primaryKey: true },
      version: { type: DataTypes.TEXT, primaryKey: true },
      landingId: DataTypes.INTEGER,
      createdAt: { type: DataTypes.DATE, allowNull: false },
    },
    { sequelize, tableName: 'ppa_past', underscored: true, timestamps: false },
  );
  return PpaPast;
}

export type PpaPastModel = ReturnType<typeof definePpaPast>;
