import { DataTypes, Model, type ModelStatic, type Sequelize, type Transaction } from 'sequelize';
import { AirlineError } from '../domain/errors.ts';
import type { Columns, Given, Held } from './columns.ts';
import { lockRows } from './select-rows.ts';
import type { Row } from './statement.ts';
import { deleteRow, insertRow, isTaken, reviseRow } from './write-row.ts';
import type { Work } from './work.ts';

/** A row of a model's table. */
export type StoredRow<Values> = Row &
  Values & {
    readonly id: number;
    /** Counts the row's changes; it is the row's ETag. */
    readonly revision: number;
    /** RFC 3339, as `updatedAt`. */
    readonly createdAt: string;
    readonly updatedAt: string;
  };

/** A row like a new one exists already. */
export class DuplicateRow extends Error {
  override readonly name = 'DuplicateRow';
  readonly existingId: number;
  constructor(attribute: string, existingId: number) {
    super(`there is a row with this ${attribute}`);
    this.existingId = existingId;
  }
}

/** What every model can do. One with rules of its own overrides it. */
export type StoredModel<New, Values> = ModelStatic<Model> & {
  /** The attribute that tells rows apart, besides the id. */
  readonly unique: string | undefined;
  initOn(sequelize: Sequelize): void;
  /** Adds a row; `id` where the caller has chosen it. Throws DuplicateRow. */
  add(values: New & { readonly id?: number }, work: Work): Promise<StoredRow<Values>>;
  /** The row with a value of the unique attribute, added where there is none. */
  findOrAdd(values: New, work: Work): Promise<StoredRow<Values>>;
  /** Changes what is given of a row. Undefined where there is none. Throws `conflict` where another has its unique value. */
  revise(id: number, changes: Partial<Values>, work: Work): Promise<StoredRow<Values> | undefined>;
  /** Deletes a row. False where there is none. */
  remove(id: number, work: Work): Promise<boolean>;
  /** Locks what a change of these rows locks, until the transaction ends: for who changes several. */
  lockAll(ids: readonly number[], transaction: Transaction): Promise<void>;
};

/**
 * Makes a model of its table's columns. Besides them every table has `id`, `revision`, `created_at` and `updated_at`.
 *
 * @param unique the attribute that the database keeps unique
 */
export function storedModel<const C extends Columns>(
  table: string,
  columns: C,
  { unique }: { unique?: keyof C & string } = {},
): StoredModel<Given<C>, Held<C>> {
  type New = Given<C> & { readonly id?: number };
  type Values = Held<C>;
  return class extends Model {
    static readonly unique = unique;

    static initOn(sequelize: Sequelize): void {
      this.init(
        {
          id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
          ...columns,
          revision: DataTypes.INTEGER,
          createdAt: DataTypes.DATE,
          updatedAt: DataTypes.DATE,
        },
        { sequelize, modelName: table, tableName: table, underscored: true },
      );
    }

    static async add(values: New, work: Work): Promise<StoredRow<Values>> {
      const { row, isNew } = await insertRow(this, values, { unique, ...work });
      if (!isNew) throw new DuplicateRow(unique ?? 'id', row['id'] as number);
      return row as StoredRow<Values>;
    }

    static async findOrAdd(values: New, work: Work): Promise<StoredRow<Values>> {
      return (await insertRow(this, values, { unique, ...work })).row as StoredRow<Values>;
    }

    static async revise(id: number, changes: Partial<Values>, work: Work) {
      try {
        return (await reviseRow(this, id, changes, work)) as StoredRow<Values> | undefined;
      } catch (error) {
        if (!isTaken(error)) throw error;
        const message = `Another has this ${unique ?? 'value'} already.`;
        throw new AirlineError('conflict', message, { cause: error });
      }
    }

    static async remove(id: number, work: Work): Promise<boolean> {
      return deleteRow(this, id, work);
    }

    static async lockAll(ids: readonly number[], transaction: Transaction): Promise<void> {
      await lockRows(this, ids, transaction);
    }
  };
}
