import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';

/** A row as plain values. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one SQL statement of our own.
 *
 * @param bind the values of `$1`, `$2` …
 * @returns the rows that it gives; times are Dates
 */
export async function query<R extends object = Row>(
  sequelize: Sequelize,
  text: string,
  bind: readonly unknown[] = [],
  transaction?: Transaction,
): Promise<R[]> {
  return sequelize.query<R>(text, {
    type: QueryTypes.SELECT,
    bind: [...bind],
    transaction: transaction ?? null,
  });
}
