import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { InstalledPackage } from '../../domain/testing/image.ts';
import {
  isOpenRun,
  OPEN_RUN_STATES,
  type TestResult,
  type TestRunEnd,
  type TestRunReason,
  type TestRunState,
} from '../../domain/testing/test-run.ts';
import { printableThroughout } from '../../domain/text/printable.ts';

/**
 * autopkgtest of one source package in one image. A run without a landing is of a base image: what the landings' runs
 * are compared with.
 */
export function defineTestRun(sequelize: Sequelize) {
  class TestRun extends Model<InferAttributes<TestRun>, InferCreationAttributes<TestRun>> {
    declare readonly id: CreationOptional<number>;
    declare readonly landingId: CreationOptional<number | null>;
    declare readonly attempt: CreationOptional<number | null>;
    declare readonly imageId: number;
    declare readonly source: string;
    declare readonly version: string;
    declare readonly architecture: string;
    declare readonly reason: TestRunReason;
    /** One sentence, such as "depends on libhello1". */
    declare readonly why: string;
    /** The data-store URLs of the source's files; empty until they are fetched. */
    declare readonly files: string[];
    /** 1, and one more each time that it is run again in the same image. */
    declare readonly try: CreationOptional<number>;
    declare readonly state: CreationOptional<TestRunState>;
    /** Of autopkgtest. */
    declare readonly exitCode: CreationOptional<number | null>;
    declare readonly results: CreationOptional<TestResult[]>;
    /** Which of the landing's binary packages were in the test bed. */
    declare readonly exercised: CreationOptional<InstalledPackage[]>;
    /** What the test bed's fault is. */
    declare readonly fault: CreationOptional<string | null>;
    /** The name of the machine that runs it. */
    declare readonly tester: CreationOptional<string | null>;
    declare readonly logUrl: CreationOptional<string | null>;
    declare readonly artifactsUrl: CreationOptional<string | null>;
    declare readonly createdAt: CreationOptional<Date>;
    declare readonly updatedAt: CreationOptional<Date>;
    declare readonly startedAt: CreationOptional<Date | null>;
    declare readonly endedAt: CreationOptional<Date | null>;

    /** Whether its state is an end. */
    get hasEnded(): NonAttribute<boolean> {
      return !isOpenRun(this.state);
    }

    /** Notes that a tester has it now; one that has ended stays as it is. */
    async begin(tester: string, logUrl: string): Promise<void> {
      await TestRun.update(
        { state: 'running', tester, logUrl, startedAt: new Date() },
        { where: { id: this.id, state: [...OPEN_RUN_STATES] } },
      );
      await this.reload();
    }

    /** Leaves it to whoever is asked for it next, unless it has ended or somebody has begun it once more. */
    async release(): Promise<void> {
      const { id, startedAt } = this;
      await TestRun.update(
        { state: 'queued', tester: null, logUrl: null, startedAt: null },
        { where: { id, state: 'running', startedAt } },
      );
    }

    /**
     * Writes how it ended. The first end stays: a tester that was cut off may come back with another.
     *
     * @returns whether this was the first
     */
    async end(
      ended: TestRunEnd,
      artifactsUrl: string | null,
      transaction: Transaction,
    ): Promise<boolean> {
      // Strangers' code has a part in its texts, and PostgreSQL's jsonb refuses some.
      const { state, exitCode, results, exercised, fault } = printableThroughout(ended);
      const [count] = await TestRun.update(
        { state, exitCode, results, exercised, fault, artifactsUrl, endedAt: new Date() },
        { where: { id: this.id, state: [...OPEN_RUN_STATES] }, transaction },
      );
      return count > 0;
    }

    /** Cancels what is queued or running of an attempt, and is not wanted; what others are compared with stays. */
    static async cancelOpen(
      { id: landingId, attempt }: { id: number; attempt: number },
      transaction: Transaction,
    ): Promise<void> {
      await TestRun.update(
        { state: 'cancelled', endedAt: new Date() },
        { where: { landingId, attempt, state: [...OPEN_RUN_STATES] }, transaction },
      );
    }
  }

  TestRun.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      landingId: DataTypes.INTEGER,
      attempt: DataTypes.INTEGER,
      imageId: { type: DataTypes.INTEGER, allowNull: false },
      source: { type: DataTypes.TEXT, allowNull: false },
      version: { type: DataTypes.TEXT, allowNull: false },
      architecture: { type: DataTypes.TEXT, allowNull: false },
      reason: { type: DataTypes.TEXT, allowNull: false },
      why: { type: DataTypes.TEXT, allowNull: false },
      files: { type: DataTypes.JSONB, allowNull: false },
      try: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
      state: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'queued' },
      exitCode: DataTypes.INTEGER,
      results: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
      exercised: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
      fault: DataTypes.TEXT,
      tester: DataTypes.TEXT,
      logUrl: DataTypes.TEXT,
      artifactsUrl: DataTypes.TEXT,
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
      startedAt: DataTypes.DATE,
      endedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'test_run', underscored: true },
  );
  return TestRun;
}

export type TestRunModel = ReturnType<typeof defineTestRun>;
export type TestRun = InstanceType<TestRunModel>;
