import {
  DataTypes,
  Model,
  Op,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { BuildState } from '../../domain/builds/build-request.ts';
import type { Failure } from '../../domain/builds/failure.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { Row } from '../sql/query.ts';

/** An attempt of a build that was retried since, as it ended. */
export function defineBuildAttempt(sequelize: Sequelize) {
  class BuildAttempt extends Model<
    InferAttributes<BuildAttempt>,
    InferCreationAttributes<BuildAttempt>
  > {
    declare readonly buildId: number;
    declare readonly attempt: number;
    declare readonly requestedAt: Date;
    declare readonly requestedBy: string | null;
    /** As the row of a build has it. */
    declare readonly retryArchitectures: string[] | null;
    declare readonly dispatchedAt: Date | null;
    declare readonly cancelRequestedAt: Date | null;
    declare readonly cancelRequestedBy: string | null;
    declare readonly state: BuildState;
    declare readonly architectureBuilds: ArchitectureBuild[];
    declare readonly logs: string[];
    declare readonly failure: Failure | null;
    /** The `seq` of its final event. */
    declare readonly lastSeq: number;
    declare readonly finishedAt: Date;

    /** The attempts of a build before this one, in order. The latest is the build's own row. */
    static async listBefore(buildId: number, attempt: number): Promise<readonly Row[]> {
      const attempts = await this.findAll({
        where: { buildId, attempt: { [Op.lt]: attempt } },
        order: ['attempt'],
      });
      return attempts.map((one) => one.get({ plain: true }));
    }
  }

  BuildAttempt.init(
    {
      buildId: { type: DataTypes.INTEGER, primaryKey: true },
      attempt: { type: DataTypes.INTEGER, primaryKey: true },
      requestedAt: { type: DataTypes.DATE, allowNull: false },
      requestedBy: DataTypes.TEXT,
      retryArchitectures: DataTypes.JSONB,
      dispatchedAt: DataTypes.DATE,
      cancelRequestedAt: DataTypes.DATE,
      cancelRequestedBy: DataTypes.TEXT,
      state: { type: DataTypes.TEXT, allowNull: false },
      architectureBuilds: { type: DataTypes.JSONB, allowNull: false },
      logs: { type: DataTypes.JSONB, allowNull: false },
      failure: DataTypes.JSONB,
      lastSeq: { type: DataTypes.INTEGER, allowNull: false },
      finishedAt: { type: DataTypes.DATE, allowNull: false },
    },
    { sequelize, tableName: 'build_attempt', underscored: true, timestamps: false },
  );
  return BuildAttempt;
}

export type BuildAttemptModel = ReturnType<typeof defineBuildAttempt>;
export type BuildAttempt = InstanceType<BuildAttemptModel>;
