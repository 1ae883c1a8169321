import { createHash } from 'node:crypto';
import * as pg from 'pg';

/*
 * pg for Sequelize (`dialectModule`), with statements prepared and `bigint` read as a number. Sequelize 6 binds values
 * and names no statement, so that PostgreSQL parses and plans each one again. This Client names the statements that
 * come again and again; PostgreSQL then keeps their plans, each connection its own. docs/decisions/0009-rest-layer.md
 * says why.
 */

/** `bigint`, in `pg_type`. */
const INT8: number = pg.types.builtins.INT8;
/** Names of one database: each connection keeps at most so many plans. */
const MAX_PREPARED = 100;
/** A statement that comes as often is one of ours; the callers of the API choose the shape of some of the others. */
const COMES_AGAIN = 5;
/** How many statements are counted that have no name yet. */
const MAX_COUNTED = 1_000;

/**
 * What Sequelize takes as its `dialectModule`.
 *
 * @param options.maxPrepared statements that get a name; the others go without
 * @param options.comesAgain the time that a statement with bound values comes at which it gets its name
 */
export function createPreparedPg({
  maxPrepared = MAX_PREPARED,
  comesAgain = COMES_AGAIN,
}: { maxPrepared?: number; comesAgain?: number } = {}): object {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxPrepared) return known;
    const count = (counts.get(text) ?? 0) + 1;
    if (count < comesAgain) {
      if (counts.size >= MAX_COUNTED) counts.clear();
      counts.set(text, count);
      return undefined;
    }
    counts.delete(text);
    const name = nameFor(text);
    names.set(text, name);
    return name;
  }

  /** A pg client that prepares what it is given often with bound values. */
  class PreparingClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...given: unknown[]) => unknown;
      this.query = ((...given: unknown[]) => {
        const [text, values, callback] = given;
        if (typeof text !== 'string' || !Array.isArray(values)) return query(...given);
        const name = nameOf(text);
        return name === undefined ? query(...given) : query({ name, text, values }, callback);
      }) as typeof this.query;
    }
  }

  return { ...pg, Client: PreparingClient, types: { ...pg.types, getTypeParser } };
}

/** The same in every process: where a pooler lets several share a connection, a name never runs another's statement. */
function nameFor(text: string): string {
  return `s${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** As pg's, but for `bigint`, which pg gives as text: what we keep in it, sizes and counts, is far below its bounds. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8 && format !== 'binary') return toNumber;
  return pg.types.getTypeParser(oid, format) as (value: string) => unknown;
}

function toNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is too large for a number`);
  return number;
}
