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

/** A person's word on a test that does not pass. It stays when it is no longer valid. */
export function defineTestOverride(sequelize: Sequelize) {
  class TestOverride extends Model<
    InferAttributes<TestOverride>,
    InferCreationAttributes<TestOverride>
  > {
    declare readonly id: CreationOptional<number>;
    declare readonly source: string;
    /** Null: on all architectures. */
    declare readonly architecture: string | null;
    /** Null: all tests of the source. */
    declare readonly test: string | null;
    declare readonly reason: string;
    declare readonly overriddenBy: string;
    declare readonly validUntil: Date;
    declare readonly createdAt: CreationOptional<Date>;
    declare readonly updatedAt: CreationOptional<Date>;

    /**
     * Adds one.
     *
     * @param word whose it is, of what, why, and until when it is valid
     */
    static async add(
      word: Pick<
        InferCreationAttributes<TestOverride>,
        'source' | 'architecture' | 'test' | 'reason' | 'overriddenBy' | 'validUntil'
      >,
      transaction: Transaction,
    ): Promise<TestOverride> {
      return TestOverride.create(word, { transaction });
    }

    /** Those of some sources that are valid at a time; where two are of one test, the older first. */
    static async validFor(
      sources: readonly string[],
      at: Date,
      transaction: Transaction,
    ): Promise<TestOverride[]> {
      return TestOverride.findAll({
        where: { source: [...sources], validUntil: { [Op.gt]: at } },
        order: ['id'],
        transaction,
      });
    }
  }

  TestOverride.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      source: { type: DataTypes.TEXT, allowNull: false },
      architecture: DataTypes.TEXT,
      test: DataTypes.TEXT,
      reason: { type: DataTypes.TEXT, allowNull: false },
      overriddenBy: { type: DataTypes.TEXT, allowNull: false },
      validUntil: { type: DataTypes.DATE, allowNull: false },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'test_override', underscored: true },
  );
  return TestOverride;
}
