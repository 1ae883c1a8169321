import {
  DataTypes,
  EmptyResultError,
  Model,
  type CreateOptions,
  type ModelStatic,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { AUDIT_COLUMNS, type Columns, type Given, type Held } from './columns.ts';
import { isReferenced, isTaken, tableOfError } from './database-errors.ts';
import { auditColumns, type MutationContext } from './mutation-context.ts';
import { quote } from './identifiers.ts';
import { query } from './query.ts';

/** What every row of these tables holds besides its own columns. */
type Own = {
  readonly id: number;
  /** Counts the row's changes; the row's ETag begins with it. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A row of a stored model. */
type StoredRow<Values> = Model<Values & Own> & Readonly<Values & Own>;

/** A row like a new one exists already. */
export class DuplicateRow extends Error {
  override readonly name = 'DuplicateRow';
  readonly existingId: number;
  constructor(attribute: string, existingId: number) {
    super(`there is a row with this ${attribute}`);
    this.existingId = existingId;
  }
}

/** What every stored model can do besides what Sequelize gives it. One with rules of its own overrides it. */
export type StoredModel<New, Values> = ModelStatic<StoredRow<Values>> & {
  /** The attribute that tells rows apart, besides the id. */
  readonly unique: string | undefined;
  /** Adds a row; `id` where the caller has chosen it. Throws DuplicateRow, and `conflict` where the id is taken. */
  createOne(
    values: New & { readonly id?: number },
    context: MutationContext,
  ): Promise<StoredRow<Values>>;
  /** The row with a value of the unique attribute; it is added if it does not exist. */
  findOrCreateOne(values: New, context: MutationContext): Promise<StoredRow<Values>>;
  /**
   * Changes the given columns of a row. Undefined if there is no such row. Throws `conflict` where another has its
   * unique value, `precondition_failed` where the context names revisions and the row is at another.
   */
  updateOne(
    id: number,
    changes: Partial<Values>,
    context: MutationContext,
  ): Promise<StoredRow<Values> | undefined>;
  /** Deletes a row. False if there is no such row. Throws `referenced`, `precondition_failed`. */
  deleteOne(id: number, context: MutationContext): Promise<boolean>;
  /** Locks what a change of these rows locks, until the transaction ends, before several are changed. */
  lockAll(ids: readonly number[], transaction: Transaction): Promise<void>;
};

// A PUT may have given an id that the sequence comes to later; the insertion then goes on behind it.
const MAX_TAKEN_IDS = 100;
// The API has checked what it writes, and PostgreSQL checks it again.
const UNCHECKED = { validate: false, hooks: false } as const;

/**
 * Makes a model of a table's columns, bound to a database. Besides them every table has `id`, `revision`, `created_at`
 * and `updated_at`, which PostgreSQL's clock sets.
 *
 * @param options.unique the attribute that the database keeps unique
 * @param options.isAudited a trigger keeps a history of the table's changes
 */
export function storedModel<const C extends Columns>(
  sequelize: Sequelize,
  table: string,
  columns: C,
  options?: { unique?: keyof C & string; isAudited?: boolean },
): StoredModel<Given<C>, Held<C>>;
// Sequelize makes the accessors of the attributes in `init`, where TypeScript does not see it: they are declared above.
export function storedModel(
  sequelize: Sequelize,
  table: string,
  columns: Columns,
  { unique, isAudited = false }: { unique?: string; isAudited?: boolean } = {},
): object {
  type Values = Readonly<Record<string, unknown>>;

  class Stored extends Model<Own, Values> {
    declare readonly id: number;
    declare readonly revision: number;

    static readonly unique = unique;

    static async createOne(values: Values, context: MutationContext) {
      const { row, isNew } = await this.insert(values, context);
      if (!isNew) throw new DuplicateRow(unique ?? 'id', row.id);
      return row;
    }

    static async findOrCreateOne(values: Values, context: MutationContext) {
      return (await this.insert(values, context)).row;
    }

    static async updateOne(id: number, changes: Values, context: MutationContext) {
      const { ifRevision, transaction = null } = context;
      if (Object.keys(changes).length === 0) {
        const row = await this.findByPk(id, { transaction });
        if (row) assertRevision(row.revision, context);
        return row ?? undefined;
      }
      try {
        const [, [row]] = await this.update(
          {
            ...changes,
            ...(isAudited ? auditColumns(context) : {}),
            revision: sequelize.literal('revision + 1'),
            updatedAt: sequelize.fn('clock_timestamp'),
          },
          { ...UNCHECKED, where: whereOf(id, ifRevision), returning: true, transaction },
        );
        if (!row) await this.assertGone(id, context);
        return row;
      } catch (error) {
        if (!isTaken(error)) throw error;
        const message = `Another has this ${unique ?? 'value'} already.`;
        throw new AirlineError('conflict', message, { cause: error });
      }
    }

    static async deleteOne(id: number, context: MutationContext): Promise<boolean> {
      const { ifRevision, transaction = null } = context;
      try {
        const where = whereOf(id, ifRevision);
        if ((await this.destroy({ where, hooks: false, transaction })) > 0) return true;
      } catch (error) {
        if (!isReferenced(error)) throw error;
        throw new AirlineError(
          'referenced',
          `It is referred to by a ${tableOfError(error) ?? 'row'}.`,
          { cause: error },
        );
      }
      await this.assertGone(id, context);
      return false;
    }

    static async lockAll(ids: readonly number[], transaction: Transaction): Promise<void> {
      const { UPDATE: lock } = transaction.LOCK;
      // In the order of the ids, so that those who lock the same rows take turns.
      await this.findAll({
        attributes: ['id'],
        where: { id: [...ids] },
        order: ['id'],
        lock,
        transaction,
        raw: true,
      });
    }

    /**
     * Adds a row, unless there is one with the same unique value.
     *
     * @throws AirlineError `conflict` where the given id is taken
     */
    private static async insert(
      values: Values,
      { transaction }: MutationContext,
    ): Promise<{ row: Stored; isNew: boolean }> {
      // A conflict that PostgreSQL passes over leaves the transaction usable, an error would not.
      const options: CreateOptions = {
        ...UNCHECKED,
        ignoreDuplicates: true,
        ...(transaction ? { transaction } : {}),
      };
      const first =
        values['id'] === undefined ? {} : { revision: sequelize.literal(unusedRevision(table)) };
      for (let attempt = 0; attempt < MAX_TAKEN_IDS; attempt++) {
        try {
          return { row: await this.create({ ...values, ...first }, options), isNew: true };
        } catch (error) {
          if (!(error instanceof EmptyResultError)) throw error;
        }
        const existing =
          unique &&
          (await this.findOne({
            where: { [unique]: values[unique] },
            transaction: transaction ?? null,
          }));
        if (existing) return { row: existing, isNew: false };
        if (values['id'] !== undefined) break;
        await skipTakenIds(sequelize, table, transaction);
      }
      throw new AirlineError('conflict', 'A row with this id was added at the same moment.');
    }

    /** @throws AirlineError `precondition_failed` where the context names revisions and there is the row */
    private static async assertGone(id: number, context: MutationContext): Promise<void> {
      const { ifRevision, transaction = null } = context;
      const row = ifRevision && (await this.findByPk(id, { transaction }));
      if (row) throw otherRevision(row.revision, context);
    }
  }

  Stored.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      ...columns,
      revision: DataTypes.INTEGER,
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
      ...(isAudited ? AUDIT_COLUMNS : {}),
    },
    {
      sequelize,
      modelName: table,
      tableName: table,
      underscored: true,
      timestamps: false,
    },
  );
  return Stored;
}

/** @throws AirlineError `precondition_failed` where the context names revisions and the row is at another */
export function assertRevision(revision: number, context: MutationContext): void {
  const { ifRevision } = context;
  if (ifRevision && !ifRevision.includes(revision)) throw otherRevision(revision, context);
}

function otherRevision(revision: number, { weakRevisions = [] }: MutationContext): AirlineError {
  return notMatched(`It is at revision ${revision}`, weakRevisions.includes(revision));
}

/**
 * What is to be changed is not as the caller has named it.
 *
 * @param now says how it is, as `Its ETag is "x"`
 * @param isGivenWeak the caller has named that as a weak ETag, which Airline never gives out
 */
export function notMatched(now: string, isGivenWeak: boolean): AirlineError {
  return new AirlineError(
    'precondition_failed',
    isGivenWeak
      ? `A proxy has made its ETag weak. ${now} still. The proxy has to pass answers on as they are.`
      : `${now} now.`,
  );
}

/**
 * The first revision of a row whose id the caller has chosen, as SQL: a row that is gone may have had it, and its ETags
 * must not be those of the new one. Every change of that took a transaction, so it had no revision as high as the
 * number of this. A restore takes that number back to the backup's, and raises revisions and the sequence of the ids by
 * as much (docs/operations.md, "Backups"): with both it stays above. A dump that is loaded into another cluster has
 * that one's numbers of transactions, which may be lower: an ETag comes again where the very same number comes up.
 */
function unusedRevision(table: string): string {
  const lastId = `pg_sequence_last_value(pg_get_serial_sequence('${quote(table)}', 'id')::regclass)`;
  return `(pg_current_xact_id()::text::bigint + coalesce(${lastId}, 0)) % (2 ^ 30)::bigint`;
}

function whereOf(id: number, revisions: readonly number[] | undefined) {
  return { id, ...(revisions ? { revision: [...revisions] } : {}) };
}

/** If the sequence of the ids is at a taken id, moves it to the last of the taken ids that follow without a gap. */
async function skipTakenIds(
  sequelize: Sequelize,
  name: string,
  transaction: Transaction | undefined,
): Promise<void> {
  const table = quote(name);
  const text = `WITH sequence AS (
      SELECT pg_get_serial_sequence($1, 'id')::regclass AS name
    ), place AS (
      SELECT name, pg_sequence_last_value(name) AS at FROM sequence
    ), run AS (
      SELECT id AS last FROM ${table} taken
      WHERE id >= (SELECT at FROM place) AND EXISTS (SELECT FROM ${table} WHERE id = (SELECT at FROM place))
        AND NOT EXISTS (SELECT FROM ${table} next WHERE next.id = taken.id::bigint + 1)
      ORDER BY id LIMIT 1
    )
    SELECT setval(place.name, run.last) FROM place, run`;
  await query(sequelize, text, [table], transaction);
}
