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
  const options = { bind: [...bind], transaction: transaction ?? null };
  // Of the types of query, this one gives pg's rows as they are; SELECT copies each.
  const [rows] = await sequelize.query(text, { ...options, type: QueryTypes.RAW });
  return rows as R[];
}
