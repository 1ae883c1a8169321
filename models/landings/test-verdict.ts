import {
  DataTypes,
  Model,
  Op,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { JudgedTest } from '../../domain/testing/judge-tests.ts';
import type { TestVerdict as Verdict } from '../../domain/testing/test-verdict.ts';

/** What the runs of a named test say about an attempt of a landing. */
export function defineTestVerdict(sequelize: Sequelize) {
  class TestVerdict extends Model<
    InferAttributes<TestVerdict>,
    InferCreationAttributes<TestVerdict>
  > {
    declare readonly id: CreationOptional<number>;
    declare readonly landingId: number;
    declare readonly attempt: number;
    declare readonly source: string;
    declare readonly architecture: string;
    /** `*` stands for all tests of the source. */
    declare readonly test: string;
    declare readonly verdict: Verdict;
    /** One sentence. */
    declare readonly why: string;
    declare readonly runId: number | null;
    /** The run without the landing's packages. */
    declare readonly baselineRunId: number | null;
    /** Whose word it is, where it is overridden. */
    declare readonly overriddenBy: string | null;

    /** Keeps the verdicts of an attempt in place of those that it has; what is the same is not written. */
    static async keep(
      of: { landingId: number; attempt: number },
      tests: readonly JudgedTest[],
      transaction: Transaction,
    ): Promise<void> {
      const known = new Map<string, TestVerdict>();
      for (const row of await TestVerdict.findAll({ where: of, transaction }))
        known.set(keyOf(row), row);
      const changed = tests.filter((test) => !isSame(known.get(keyOf(test)), test));
      await TestVerdict.bulkCreate(
        changed.map((one) => ({
          ...of,
          source: one.source,
          architecture: one.architecture,
          test: one.test,
          verdict: one.verdict,
          why: one.why,
          runId: one.runId,
          baselineRunId: one.baselineRunId,
          overriddenBy: one.overriddenBy,
        })),
        {
          updateOnDuplicate: ['verdict', 'why', 'runId', 'baselineRunId', 'overriddenBy'],
          conflictAttributes: ['landingId', 'attempt', 'source', 'architecture', 'test'],
          transaction,
        },
      );
      for (const test of tests) known.delete(keyOf(test));
      const gone = [...known.values()].map(({ id }) => id);
      if (gone.length > 0)
        await TestVerdict.destroy({ where: { id: { [Op.in]: gone } }, transaction });
    }
  }

  TestVerdict.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      landingId: { type: DataTypes.INTEGER, allowNull: false },
      attempt: { type: DataTypes.INTEGER, allowNull: false },
      source: { type: DataTypes.TEXT, allowNull: false },
      architecture: { type: DataTypes.TEXT, allowNull: false },
      test: { type: DataTypes.TEXT, allowNull: false },
      verdict: { type: DataTypes.TEXT, allowNull: false },
      why: { type: DataTypes.TEXT, allowNull: false },
      runId: DataTypes.INTEGER,
      baselineRunId: DataTypes.INTEGER,
      overriddenBy: DataTypes.TEXT,
    },
    { sequelize, tableName: 'test_verdict', underscored: true, timestamps: false },
  );
  return TestVerdict;
}

type Named = Pick<JudgedTest, 'source' | 'architecture' | 'test'>;

function keyOf({ source, architecture, test }: Named): string {
  return [source, architecture, test].join(' ');
}

type Said = Pick<JudgedTest, 'verdict' | 'why' | 'runId' | 'baselineRunId' | 'overriddenBy'>;

function isSame(row: Said | undefined, test: Said): boolean {
  return (
    row?.verdict === test.verdict &&
    row.why === test.why &&
    row.runId === test.runId &&
    row.baselineRunId === test.baselineRunId &&
    row.overriddenBy === test.overriddenBy
  );
}
