import type { Sequelize, Transaction } from 'sequelize';
import { types, type Client, type QueryResult } from 'pg';

/** A row as plain values. */
export type Row = Readonly<Record<string, unknown>>;

/** SQL with `$1`, `$2` … and their values. */
export type Statement = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The caller of the API has chosen its shape: it is not worth a plan of its own. */
  readonly isOneOff?: boolean;
};

/** PostgreSQL's timestamptz, of which a session in UTC writes `2026-11-21 12:00:00.123456+00`. */
const TIMESTAMPTZ = 1184;
const TIMES_AS_TEXT = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === TIMESTAMPTZ ? rfc3339 : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

// Each connection keeps a plan for every name.
const MAX_PREPARED = 100;
const names = new Map<string, string>();

/**
 * Runs one statement on Sequelize's connections, prepared. Times come as RFC 3339 texts, in UTC, to the millisecond:
 * most rows are read to be shown, and a Date for each time would cost more than the rest of the row. Sequelize itself inlines values and never prepares, so that
 * PostgreSQL parses and plans every query anew (docs/decisions/0009-rest-layer.md has what that costs).
 *
 * @throws pg's DatabaseError, with `code`
 */
export async function execute(
  sequelize: Sequelize,
  { text, values, isOneOff = false }: Statement,
  transaction?: Transaction,
): Promise<readonly Row[]> {
  const name = isOneOff ? undefined : nameOf(text);
  const query = { name, text, values: values as unknown[], types: TIMES_AS_TEXT };
  if (transaction) return rowsOf(await connectionOf(transaction).query(query));
  const connection = (await sequelize.connectionManager.getConnection({ type: 'write' })) as Client;
  try {
    return rowsOf(await connection.query(query));
  } finally {
    sequelize.connectionManager.releaseConnection(connection);
  }
}

/** Collects the values of a statement while its text is written. */
export class Values {
  readonly list: unknown[] = [];

  /** The placeholder of a value. */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

/** A name of our own as SQL; never for what comes from outside. */
export function quote(identifier: string): string {
  return `"${identifier}"`;
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_PREPARED) return known;
  const name = `airline_${names.size + 1}`;
  names.set(text, name);
  return name;
}

function connectionOf(transaction: Transaction): Client {
  return (transaction as Transaction & { connection: Client }).connection;
}

function rfc3339(time: string): string {
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${time.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`;
}

function rowsOf(result: QueryResult<Row>): readonly Row[] {
  return result.rows;
}
